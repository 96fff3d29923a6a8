// The toy of a dying leader: reads the controls, plays the model, says what the advisor says.

import { before, key, play, where } from "./toy-model.js"
import { picture } from "./toy-picture.js"

const DEAD_S = 1.4, TRUNCATED_S = 1.2
const calm = matchMedia("(prefers-reduced-motion: reduce)")

class Toy {
  constructor(form, table) {
    this.form = form
    this.table = table
    this.say = name => form.querySelector(`[data-${name}]`)
    this.picture = picture(this.say("picture"), table.lag_max_s)
    this.killed = null
    this.turn = 0
    form.addEventListener("input", () => this.changed())
    this.say("kill").addEventListener("click", () => (this.killed ? this.changed() : this.kill()))
    for (const each of form.querySelectorAll("[data-script]")) each.hidden = false
    for (const each of form.querySelectorAll("[data-plain]")) each.hidden = true
    this.changed()
    requestAnimationFrame(time => this.frame(time))
  }

  state() {
    const given = new FormData(this.form)
    return {
      acks: given.get("acks"), minIsr: Number(given.get("min_isr")),
      unclean: given.has("unclean"), eligible: given.has("eligible"),
      lags: { 2: Number(given.get("lag_2")), 3: Number(given.get("lag_3")) },
    }
  }

  changed() {
    this.killed = null
    this.turn++
    this.now = this.state()
    this.at = before(this.now, this.table.lag_max_s)
    this.say("kill").textContent = "Kill the leader"
    for (const id of [2, 3]) this.say(`lag-${id}`).textContent = lagWords(this.now.lags[id], this.table.lag_max_s)
    this.say("standing").textContent = standing(this.at, this.now)
    this.say("result").replaceChildren()
    this.say("result").className = ""
    this.keepAddress()
  }

  keepAddress() {
    const asked = new URLSearchParams(new FormData(this.form))
    asked.delete("csrfmiddlewaretoken")
    history.replaceState(null, "", `?${asked}`)
  }

  kill() {
    this.killed = performance.now()
    this.turn++
    this.played = play(this.now, this.table.lag_max_s)
    this.say("kill").textContent = "Start again"
    this.say("standing").textContent = ""
    const advised = this.table.states[key(this.now, this.table.lag_max_s)]
    const { texts } = this.table
    const said = verdict(this.played, texts[advised.lost], this.now.acks)
    const result = this.say("result")
    result.className = `notice kind-${this.played.lost ? "lost" : texts[advised.lost] ? "unknown" : "holds"}`
    result.replaceChildren(paragraph(said, "strong"), ...steps(this.played, this.table).map(each => paragraph(each)),
      paragraph(`The advisor says: ${texts[advised.lost] || "no acknowledged message can be lost by this."}`),
      paragraph(`Until there is a new leader: ${texts[advised.pause]}`))
  }

  frame(time) {
    const since = this.killed === null ? null : (performance.now() - this.killed) / 1000
    const done = calm.matches ? 1 : Math.min(1, Math.max(0, ((since ?? 0) - DEAD_S) / TRUNCATED_S))
    const dead = since !== null, led = dead && (calm.matches || since > DEAD_S)
    const scene = dead ? this.played : this.at, clock = calm.matches || dead ? 0 : time / 1000
    this.picture.draw({ ...scene, acks: this.now.acks, dead, led, done, clock }, [this.turn, led, done, clock].join())
    requestAnimationFrame(next => this.frame(next))
  }
}

function paragraph(text, tag) {
  const made = document.createElement("p")
  made.append(tag ? Object.assign(document.createElement(tag), { textContent: text }) : text)
  return made
}

function lagWords(lag, lagMax) {
  const is = where(lag, lagMax)
  if (is === "in-step") return "in step"
  return is === "behind" ? `${lag} s behind, in sync` : `${lag} s behind, out of the in-sync set`
}

function standing({ isr, elr, refused, hidden }, { acks }) {
  const eligible = elr.length ? ` Also eligible: ${elr.join(", ")}.` : ""
  const writes = refused ? " Too few are in sync: writes are refused."
    : hidden && acks !== "all" ? " Too few are in sync: messages are acknowledged, but cannot be read." : ""
  return `Broker 1 leads. In sync: ${isr.join(", ")}.${eligible}${writes}`
}

function verdict({ lost }, mayBeLost, acks) {
  if (lost) return acks === "0" ? `${count(lost)} lost, and the producer believes that they were sent.`
    : `${count(lost, "acknowledged ")} lost.`
  return mayBeLost ? "Nothing was lost this time, but it can happen." : "Nothing is lost."
}

function steps({ leader, how, unread, isr }, { fencing_s: fencing }) {
  const died = `Broker 1 died. In sync were ${isr.join(", ")}; a dead broker counts as alive for ${fencing} s (broker.session.timeout.ms), and until then there is no leader.`
  if (leader === null) return [died, "No broker may become leader: neither of the others was in sync. The partition waits for broker 1 and its log."]
  const right = { "in sync": "it was in sync", eligible: "it is an eligible leader replica", unclean: "the election is unclean, and it came back first" }[how]
  const read = unread ? ` ${count(unread)} gone that had already been read.` : ""
  return [died, `Broker ${leader} leads: ${right}. Longer logs are truncated to the length of its own.${read}`]
}

function count(messages, what = "") {
  return `${messages.toLocaleString("en")} ${what}message${messages === 1 ? " is" : "s are"}`
}

const form = document.querySelector("[data-toy]")
const answer = await fetch(form.dataset.toy)
if (answer.ok) new Toy(form, await answer.json())
else form.querySelector("[data-plain]").textContent = "The advisor's table could not be loaded. The table below has its answers."
