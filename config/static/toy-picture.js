// The picture of the toy: three logs side by side, as far as each goes, and messages on their way.

import { RATE } from "./toy-model.js"

const LANE = 58, TOP = 34, LABEL = 92, EDGE = 84, WINDOW_S = 48
const HOP_S = 0.45

export function picture(canvas, lagMax) {
  const ctx = canvas.getContext("2d"), probe = canvas.parentElement.appendChild(document.createElement("span"))
  probe.hidden = true
  let colours = {}, drawn
  // A canvas knows no light-dark() and no var(): the browser resolves them on an element.
  const learn = () => {
    for (const name of ["ink", "muted", "line", "line-strong", "sunk", "accent", "holds", "lost", "unavailable", "late"]) {
      probe.style.color = `var(--${name})`
      colours[name] = getComputedStyle(probe).color
    }
    drawn = undefined
  }
  const fit = () => {
    canvas.width = canvas.clientWidth * devicePixelRatio
    canvas.height = canvas.clientHeight * devicePixelRatio
    drawn = undefined
  }
  learn()
  fit()
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", learn)
  new ResizeObserver(fit).observe(canvas)
  // A scene in which nothing moves is drawn once; `moment` is the same as long as it is.
  return {
    draw(scene, moment) {
      if (moment === drawn) return
      drawn = moment
      draw(ctx, canvas, colours, scene, lagMax)
    },
  }
}

function draw(ctx, canvas, colours, scene, lagMax) {
  const unit = devicePixelRatio, width = canvas.width / unit
  ctx.setTransform(unit, 0, 0, unit, 0, 0)
  ctx.clearRect(0, 0, width, canvas.height / unit)
  const right = width - EDGE, perMessage = (right - LABEL) / (WINDOW_S * RATE)
  const x = offset => Math.max(LABEL, right - (scene.ends[1] - offset) * perMessage)
  const on = { ctx, colours, scene, x, right, perMessage, y: id => TOP + (id - 1) * LANE }
  for (const id of [1, 2, 3]) lane(on, id)
  mark(on, x(scene.high), "high watermark", "ink")
  if (scene.leader && scene.led) cut(on)
  if (!scene.dead) flow(on)
  say(on, `the newest ${WINDOW_S} seconds of messages`, LABEL, TOP + 3 * LANE + 6, "muted")
}

function lane(on, id) {
  const { ctx, colours, scene, x, right, y } = on
  const dead = scene.dead && id === 1, leads = scene.dead ? scene.led && scene.leader === id : id === 1
  const role = dead ? "dead" : leads ? "leads ★" : scene.isr.includes(id) ? "in sync" : scene.elr.includes(id) ? "eligible" : "out of sync"
  say(on, `Broker ${id}`, 0, y(id) + 10, "ink", 650)
  say(on, role, 0, y(id) + 26, dead ? "unavailable" : leads ? "accent" : scene.isr.includes(id) ? "holds" : "late")
  ctx.fillStyle = colours.sunk
  ctx.fillRect(LABEL, y(id), right - LABEL, 34)
  ctx.fillStyle = dead ? colours.unavailable : leads ? colours.accent : colours.holds
  ctx.globalAlpha = dead ? 0.35 : 0.8
  const held = Math.min(scene.ends[id], scene.high), end = shownEnd(scene, id)
  ctx.fillRect(LABEL, y(id), x(Math.min(held, end)) - LABEL, 34)
  ctx.globalAlpha = dead ? 0.2 : 0.4
  ctx.fillRect(x(Math.min(held, end)), y(id), x(end) - x(Math.min(held, end)), 34)
  ctx.globalAlpha = 1
  ctx.strokeStyle = colours["line-strong"]
  ctx.setLineDash(dead ? [2, 4] : scene.isr.includes(id) ? [] : [5, 4])
  ctx.strokeRect(LABEL + 0.5, y(id) + 0.5, right - LABEL, 34)
  ctx.setLineDash([])
  seconds(on, id, end)
}

// A log that is longer than the new leader's is cut to it, while one looks on.
function shownEnd(scene, id) {
  if (!scene.led || !scene.leader || id === 1) return scene.ends[id]
  return scene.ends[id] - Math.max(0, scene.ends[id] - scene.end) * scene.done
}

// A stroke a second, which moves while the leader takes messages.
function seconds({ ctx, colours, scene, x, right, perMessage, y }, id, end) {
  const moved = scene.dead || scene.refused ? 0 : (scene.clock % 1) * RATE * perMessage
  ctx.fillStyle = colours.sunk
  for (let at = right - moved; at > LABEL; at -= RATE * perMessage) {
    if (at < x(end)) ctx.fillRect(at, y(id), 1, 34)
  }
}

function mark({ ctx, colours, y }, at, words, colour) {
  ctx.fillStyle = colours[colour]
  ctx.fillRect(at - 1, y(1) - 8, 2, 2 * LANE + 50)
  say({ ctx, colours }, words, at - 5, y(1) - 16, colour, 600, at > 200 ? "right" : "left")
}

// What is gone: told to be done, and beyond the end of the log that leads now.
function cut({ ctx, colours, scene, x, y }) {
  if (!scene.lost) return
  const from = x(scene.end), to = x(scene.acknowledged)
  ctx.save()
  ctx.globalAlpha = 0.35 + 0.65 * scene.done
  ctx.strokeStyle = colours.lost
  ctx.lineWidth = 2
  ctx.beginPath()
  ctx.rect(from, y(1), Math.max(4, to - from), 34)
  ctx.clip()
  for (let at = from - 34; at < to + 34; at += 7) {
    ctx.moveTo(at, y(1) + 34)
    ctx.lineTo(at + 34, y(1))
  }
  ctx.stroke()
  ctx.restore()
  const wide = to - from > 120
  say({ ctx, colours }, `${scene.lost} lost`, wide ? (from + to) / 2 : from - 6, y(1) + 46, "lost", 700, wide ? "center" : "right")
}

// A message comes to the leader, is copied by who is in step, and is acknowledged or not.
function flow({ ctx, colours, scene, right, y }) {
  const at = (scene.clock / HOP_S) % 2, from = right + EDGE - 8
  say({ ctx, colours }, "producer", from, y(1) - 10, "muted", 400, "right")
  dot(ctx, scene.refused ? colours.lost : colours.accent, from + (right - from) * Math.min(1, at), y(1) + 12)
  if (scene.refused) return say({ ctx, colours }, "refused", from, y(1) + 28, "lost", 600, "right")
  for (const id of [2, 3]) {
    if (scene.ends[1] - scene.ends[id] > 1 || at < 1) continue
    dot(ctx, colours.holds, right - 4, y(1) + 17 + (y(id) - y(1)) * (at - 1))
  }
  const acknowledged = scene.acks === "0" ? "at once" : scene.acks === "1" || scene.ends[1] - scene.high <= 1 ? "acknowledged" : "waits"
  say({ ctx, colours }, acknowledged, from, y(1) + 49, acknowledged === "waits" ? "late" : "holds", 600, "right")
}

function dot(ctx, colour, x, y) {
  ctx.fillStyle = colour
  ctx.beginPath()
  ctx.arc(x, y, 4, 0, 7)
  ctx.fill()
}

function say({ ctx, colours }, words, x, y, colour, weight = 400, align = "left") {
  ctx.font = `${weight} 12px Inter, system-ui, sans-serif`
  ctx.fillStyle = colours[colour]
  ctx.textAlign = align
  ctx.textBaseline = "middle"
  ctx.fillText(words, x, y)
}
