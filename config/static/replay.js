// Plays a run back from its telemetry. The page has the same in a table; this only draws it, one
// sample at a time and nothing in between. Both arms stand on one axis and move together.

import { chart } from "./replay-chart.js"

const KEY_STEP_S = 0.25
const calm = matchMedia("(prefers-reduced-motion: reduce)")
const LOOP_PAUSE_MS = 3000
// Stands in where a page shows the lanes alone.
const NO_CHART = { show() {}, follow() {} }

class Replay {
  constructor(section, axis) {
    this.axis = axis
    this.find = name => section.querySelector(`[data-${name}]`)
    this.find("stage").hidden = false
    // Of a run that plays by itself: how fast. Else a person chooses.
    this.loop = section.dataset.loop
    this.slider = this.find("time")
    this.slider.max = axis.seconds
    this.button = this.find("play")
    this.arms = axis.arms.map(arm => new Arm(section, arm, axis, second => this.visit(second)))
    this.speed = this.find("speed")
    this.events = [...new Set(axis.arms.flatMap(arm => arm.events.map(([at]) => at)))].sort((one, other) => one - other)
    this.seek(this.opening())
    this.untouched = true
    this.button.addEventListener("click", () => this.toggle())
    for (const each of section.querySelectorAll("[data-step]")) {
      each.addEventListener("click", () => this.step(Number(each.dataset.step)))
    }
    // Another speed begins from where it is.
    this.speed?.addEventListener("change", () => { if (this.frame) { this.pause(); this.toggle() } })
    this.slider.addEventListener("input", () => this.visit(Number(this.slider.value)))
    section.addEventListener("keydown", event => this.key(event))
  }

  // Where the harm begins in the first arm that has any; else where most was unsafe.
  opening() {
    const harmed = axis => axis.arms.find(arm => arm.opens_at !== null)?.opens_at
    return harmed(this.axis) ?? Math.max(0, ...this.arms.slice(0, 1).map(arm => arm.mostApart()))
  }

  seek(second) {
    this.pause()
    this.untouched = false
    this.show(second)
  }

  // The same, by a person: the address then holds the moment.
  visit(second) {
    this.seek(second)
    history.replaceState(history.state, "", `#t=${Number(this.now.toFixed(2))}`)
  }

  step(way) {
    const near = 0.01
    const next = way > 0 ? this.events.find(at => at > this.now + near)
      : this.events.findLast(at => at < this.now - near)
    if (next !== undefined) this.visit(next)
  }

  show(second) {
    this.now = Math.min(Math.max(second, 0), this.axis.seconds)
    this.slider.value = this.now
    this.find("clock").textContent = `${this.now.toFixed(1)} s`
    const said = this.arms.map(arm => arm.show(this.now))
    this.slider.setAttribute("aria-valuetext", `${this.now.toFixed(1)} seconds. ${said.join(" ")}`)
  }

  toggle() {
    if (this.frame) return this.pause()
    if (this.untouched || this.now >= this.axis.seconds) this.show(0)
    this.untouched = false
    this.button.textContent = "Pause"
    const from = this.now, began = performance.now()
    const step = time => {
      const second = from + Number(this.loop ?? this.speed.value) * (time - began) / 1000
      // Whoever wishes for less motion gets a step a second instead of a gliding line.
      this.show(calm.matches ? from + Math.floor(second - from) : second)
      if (second >= this.axis.seconds) this.end()
      else this.frame = requestAnimationFrame(step)
    }
    this.frame = requestAnimationFrame(step)
  }

  end() {
    this.pause()
    if (this.loop) this.again = setTimeout(() => this.toggle(), LOOP_PAUSE_MS)
  }

  pause() {
    clearTimeout(this.again)
    cancelAnimationFrame(this.frame)
    this.frame = 0
    this.button.textContent = "Play"
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.target.closest("select, input:not([type=range]), summary, form")) return
    const by = { ArrowRight: KEY_STEP_S, ArrowLeft: -KEY_STEP_S }[event.key]
    const step = { ",": -1, ".": 1 }[event.key]
    if (by) this.visit(this.now + by)
    else if (step) this.step(step)
    else if (event.key === " " && !event.target.closest("a, button")) this.toggle()
    else return
    event.preventDefault()
  }

  follow(message) {
    for (const arm of this.arms) {
      arm.follow(message)
      if (arm.message) this.seek(arm.data.at.find(at => at > message.at) ?? message.at)
    }
  }
}

class Arm {
  constructor(section, arm, axis, seek) {
    this.data = arm
    this.box = section.querySelector(`[data-arm="${CSS.escape(arm.name)}"]`)
    const place = this.find("chart")
    this.chart = place ? chart(place, arm, axis, seek) : NO_CHART
    this.shown = -1
  }

  find(name) {
    return this.box.querySelector(`[data-${name}]`)
  }

  // When the leader's log is furthest ahead of what may be read: the picture to begin with.
  mostApart() {
    const { at, leads, ends, high_watermark: high } = this.data
    const ahead = at.map((_, i) => (leads[i] === null || high[i] === null ? 0 : ends[leads[i]][i] - high[i]))
    return at[ahead.indexOf(Math.max(...ahead))]
  }

  // Shows the newest sample of a time; returns it in words.
  show(second) {
    this.chart.show(second)
    this.caption(second)
    const next = this.data.at.findIndex(at => at > second)
    const i = next < 0 ? this.data.at.length - 1 : Math.max(0, next - 1)
    if (i !== this.shown) this.draw(i)
    return this.said
  }

  // The newest event, until the next.
  caption(second) {
    const at = this.data.events.findLastIndex(([when]) => when <= second + 0.005)
    if (at === this.captioned) return
    this.captioned = at
    this.find("caption").textContent = at < 0 ? "" : this.data.events[at][1]
    this.box.querySelectorAll(".replay-events a").forEach((each, i) => each.classList.toggle("is-now", i === at))
  }

  draw(i) {
    this.shown = i
    this.said = `${this.data.label}: ${this.words(i)}`
    this.find("say").textContent = this.words(i)
    for (const id of this.data.brokers) this.lane(id, i)
    for (const each of this.box.querySelectorAll("[data-count]")) {
      each.textContent = number(this.data[each.dataset.count][i])
    }
  }

  words(i) {
    const { leader, leads, epoch, isr, high_watermark: high } = this.data
    const led = leads[i] !== null ? `Broker ${leads[i]} leads (epoch ${epoch[i]}).`
      : leader[i] !== null ? `No leader: broker ${leader[i]} is not running and has not been replaced yet.`
      : "No leader."
    const read = high[i] === null ? "High watermark not known." : `High watermark ${number(high[i])}.`
    return `${led} In sync: ${isr[i].join(", ") || "not known"}. ${read}`
  }

  // Lanes are drawn against the longest log of the moment: what they compare is the brokers.
  share(offset) {
    const longest = Math.max(1, ...this.data.brokers.map(id => this.data.ends[id][this.shown]))
    return `${Math.min(100, (100 * offset) / longest)}%`
  }

  lane(id, i) {
    const { states, ends, leads, isr, high_watermark: high } = this.data
    const lane = this.box.querySelector(`[data-broker="${id}"]`)
    const state = states[id][i], end = ends[id][i]
    lane.className = `lane is-${state}${leads[i] === id ? " is-leader" : ""}`
    lane.style.setProperty("--end", this.share(end ?? 0))
    lane.style.setProperty("--held", this.share(Math.min(end ?? 0, high[i] ?? 0)))
    lane.style.setProperty("--high", this.share(high[i] ?? 0))
    lane.style.setProperty("--message", this.share(this.message?.offset ?? 0))
    lane.classList.toggle("is-unread", high[i] === null)
    lane.classList.toggle("is-followed", Boolean(this.message))
    const role = leads[i] === id ? "leads" : isr[i].includes(id) ? "in sync" : "not in sync"
    lane.querySelector("[data-role]").textContent = state === "running" ? role : `${state}, ${role}`
    lane.querySelector("[data-end]").textContent = number(end)
  }

  follow(message) {
    const here = message?.arm === this.data.name && message.partition === this.data.partition
    this.message = here ? message : null
    this.chart.follow(this.message)
    this.draw(this.shown)
  }
}

function number(value) {
  return value === null ? "–" : value.toLocaleString("en")
}

// The moment that the address names (`#t=3.6`), or null.
function addressed() {
  const [, second] = location.hash.match(/^#t=(\d+(?:\.\d+)?)$/) ?? []
  return second === undefined ? null : Number(second)
}

function goToAddress() {
  const second = addressed()
  if (second === null || !replay) return
  replay.seek(second)
  document.querySelector("#replay").scrollIntoView()
}

let replay = null

// A run that was exported as one file carries its telemetry along; a page asks for it.
async function telemetry(section) {
  const inside = document.getElementById("replay-data")
  if (inside) return JSON.parse(inside.textContent)
  const answer = await fetch(section.dataset.replay)
  return answer.ok ? answer.json() : null
}

async function begin() {
  const section = document.querySelector("[data-replay]:not([data-begun])")
  if (!section) return
  section.dataset.begun = ""
  const axis = await telemetry(section)
  if (!axis) return
  const before = replay
  before?.pause()
  replay = new Replay(section, axis)
  if (!before) goToAddress()
  // Another partition of the same run: the same moment of it.
  if (before && !before.untouched) replay.seek(before.now)
  // A story that was asked for before the telemetry had come.
  if (!before) followStory()
  if (replay.loop && !calm.matches && addressed() === null) replay.toggle()
}

function followStory() {
  const story = document.querySelector("#story [data-story]")
  const { story: arm, partition, offset, acked } = story?.dataset ?? {}
  const place = { arm, partition: Number(partition), offset: Number(offset), at: Number(acked) }
  replay?.follow(offset === undefined ? null : place)
}

// The replay comes with the page, or by htmx when the run ends; a story comes by htmx.
document.body.addEventListener("htmx:afterSettle", event => {
  begin()
  if (event.target.id === "story") followStory()
})
addEventListener("hashchange", goToAddress)
document.body.addEventListener("click", event => {
  const seek = event.target.closest("[data-seek]")
  if (!seek || !replay) return
  event.preventDefault()
  replay.visit(Number(seek.dataset.seek))
  if (seek.closest("#replay")) return
  document.querySelector("#replay").scrollIntoView()
  replay.button.focus({ preventScroll: true }) // the keys go on from there
})
begin()
