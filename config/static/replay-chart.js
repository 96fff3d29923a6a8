// One arm of a replay over time, drawn with uPlot: axes, scales and the high watermark are its own,
// the logs and the lanes are drawn here. How a line is drawn says what the broker is, as the
// frames of brokers do on every page: thick leads, plain runs, dashed is paused, dotted is dead.

const LABEL_ROWS = 4, ROW = 14, LANE = 13, GAP = 8, HEIGHT = 340
const DASHES = { running: [], paused: [5, 4], dead: [1, 4] }

export function chart(box, arm, axis, seek) {
  const probe = box.appendChild(document.createElement("span"))
  // A canvas knows no light-dark() and no var(): the browser resolves them on an element.
  const colour = name => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const lanes = arm.brokers.length * LANE + GAP
  const text = { font: "12px Inter, system-ui, sans-serif", stroke: () => colour("muted") }
  const high = { stroke: () => colour("holds"), fill: () => faded(colour("holds"), 0.16), width: 1 }
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height: HEIGHT + lanes,
      padding: [LABEL_ROWS * ROW + 6, 10, 0, 0],
      cursor: { show: false },
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [Math.min(0, arm.at[0]), axis.seconds] },
        y: { range: () => [0, Math.max(1, axis.offsets * 1.04)] },
      },
      axes: [
        {
          ...text,
          gap: lanes + 4,
          size: lanes + 26,
          grid: { show: false },
          ticks: { show: false },
          values: (_, seconds) => seconds.map(second => `${second} s`),
        },
        {
          ...text,
          // Wide enough for the longest label, a million messages being three letters longer.
          size: (_, labels) => Math.max(54, 12 + 7.5 * Math.max(0, ...(labels ?? []).map(each => each.length))),
          space: 40,
          grid: { stroke: () => colour("line"), width: 1 },
          ticks: { show: false },
          values: (_, offsets) => offsets.map(offset => offset.toLocaleString("en")),
        },
      ],
      series: [{}, { ...high, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
      hooks: {
        drawClear: [u => withoutLeader(pen(u), arm, colour)],
        draw: [u => draw(pen(u), arm, colour, followed)],
      },
    },
    [arm.at, arm.high_watermark],
    box,
  )
  let followed = null, now = 0
  const head = plot.over.appendChild(document.createElement("i"))
  head.className = "replay-head"
  const place = () => { head.style.left = `${plot.valToPos(now, "x")}px` }
  plot.hooks.draw.push(place)
  listen(plot, seek)
  new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT + lanes })).observe(box)
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw())
  return {
    show: second => { now = second; place() },
    follow: message => { followed = message; plot.redraw() },
  }
}

function listen(plot, seek) {
  const to = event => seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"))
  plot.over.addEventListener("pointerdown", event => {
    plot.over.setPointerCapture(event.pointerId)
    to(event)
  })
  plot.over.addEventListener("pointermove", event => {
    if (plot.over.hasPointerCapture(event.pointerId)) to(event)
  })
}

// A canvas with the plot's places, in device pixels as uPlot draws.
function pen(u) {
  const { ctx, bbox } = u, unit = devicePixelRatio
  return {
    ctx, bbox, unit,
    x: second => u.valToPos(second, "x", true),
    y: offset => u.valToPos(offset, "y", true),
    line(points, stroke, width, dash) {
      ctx.beginPath()
      points.forEach(([x, y]) => ctx.lineTo(x, y))
      ctx.strokeStyle = stroke
      ctx.lineWidth = width * unit
      ctx.setLineDash(dash.map(length => length * unit))
      ctx.stroke()
      ctx.setLineDash([])
    },
    say(words, x, y, fill, align = "left", weight = 400) {
      ctx.font = `${weight} ${12 * unit}px Inter, system-ui, sans-serif`
      ctx.fillStyle = fill
      ctx.textAlign = align
      ctx.textBaseline = "middle"
      ctx.fillText(words, x, y)
    },
  }
}

// Spans of samples that look the same: the first sample of each, from when to when it holds.
function spans(arm, x, looks) {
  const found = []
  arm.at.forEach((at, i) => {
    const look = looks(i), till = x(arm.at[i + 1] ?? at)
    if (found.length && found.at(-1).look === look) found.at(-1).till = till
    else found.push({ i, look, from: x(at), till })
  })
  return found
}

function withoutLeader({ ctx, bbox, x }, arm, colour) {
  ctx.fillStyle = faded(colour("unavailable"), 0.2)
  for (const { look, from, till } of spans(arm, x, i => arm.leads[i] === null)) {
    if (look) ctx.fillRect(from, bbox.top, till - from, bbox.height)
  }
}

function draw(on, arm, colour, followed) {
  on.ctx.save()
  on.say("offset", on.bbox.left - 8 * on.unit, on.bbox.top - 0.5 * ROW * on.unit, colour("muted"), "right")
  for (const id of arm.brokers) log(on, arm, id, colour)
  tags(on, arm, colour)
  arm.brokers.forEach((id, row) => lane(on, arm, id, row, colour))
  arm.marks.forEach(([second, words, row], at) => mark(on, second, words, row ?? at, colour))
  for (const second of arm.lost) cross(on, on.x(second), on.bbox.top + on.bbox.height - 7 * on.unit, 4, colour)
  if (followed?.arm === arm.name) cross(on, on.x(followed.at), on.y(followed.offset), 7, colour)
  on.ctx.restore()
}

function stroke(arm, id, i, colour) {
  const state = arm.states[id][i]
  if (arm.leads[i] === id) return [colour("accent"), 3.5, []]
  if (state === "paused") return [colour("late"), 2, DASHES.paused]
  if (state === "dead") return [colour("unavailable"), 2, DASHES.dead]
  return [colour("ink"), 1.25, []]
}

function log(on, arm, id, colour) {
  const ends = arm.ends[id]
  const looks = i => (ends[i] === null ? "none" : `${arm.states[id][i]} ${arm.leads[i] === id}`)
  for (const { i, look, till } of spans(arm, on.x, looks)) {
    if (look === "none") continue
    const points = []
    for (let j = i; j < ends.length && on.x(arm.at[j]) <= till && ends[j] !== null; j++) {
      const x = on.x(arm.at[j])
      if (points.length) points.push([x, points.at(-1)[1]])
      points.push([x, on.y(ends[j])])
    }
    on.line(points, ...stroke(arm, id, i, colour))
  }
}

// The brokers' numbers on their lines, amid the time when these are far apart; lines that meet
// share one.
function tags(on, arm, colour) {
  const known = i => arm.brokers.map(id => arm.ends[id][i]).filter(end => end !== null)
  const apart = arm.at.map((_, i) => Math.max(...known(i)) - Math.min(...known(i)))
  const far = Math.max(...apart.filter(Number.isFinite)) / 2
  const times = arm.at.map((_, i) => i).filter(i => apart[i] >= far)
  const i = times[times.length >> 1]
  const places = []
  for (const id of arm.brokers.filter(id => arm.ends[id][i] !== null)) {
    const y = on.y(arm.ends[id][i])
    const near = places.find(place => Math.abs(place.y - y) < 14 * on.unit)
    if (near) near.words += ` · ${id}`
    else places.push({ y, words: `${id}` })
  }
  for (const { y, words } of places) {
    const x = on.x(arm.at[i])
    on.ctx.font = `650 ${12 * on.unit}px Inter, system-ui, sans-serif`
    const width = on.ctx.measureText(words).width + 10 * on.unit
    on.ctx.fillStyle = colour("surface")
    on.ctx.strokeStyle = colour("line-strong")
    on.ctx.lineWidth = on.unit
    on.ctx.beginPath()
    on.ctx.roundRect(x - width / 2, y - 9 * on.unit, width, 18 * on.unit, 9 * on.unit)
    on.ctx.fill()
    on.ctx.stroke()
    on.say(words, x, y, colour("ink"), "center", 650)
  }
}

// Below the plot, a lane a broker: thick leads, half as thick is in sync, a hair is behind.
function lane(on, arm, id, row, colour) {
  const y = on.bbox.top + on.bbox.height + (GAP + (row + 0.5) * LANE) * on.unit
  on.say(`${id}`, on.bbox.left - 8 * on.unit, y, colour("muted"), "right")
  const rank = i => (arm.leads[i] === id ? 9 : arm.isr[i].includes(id) ? 4.5 : 1)
  for (const { i, from, till } of spans(arm, on.x, i => `${rank(i)} ${arm.states[id][i]}`)) {
    const [paint] = stroke(arm, id, i, colour)
    on.line([[from, y], [till, y]], paint, rank(i), DASHES[arm.states[id][i]])
  }
}

function mark(on, second, words, row, colour) {
  const { bbox, unit } = on, x = on.x(second)
  const y = bbox.top - (LABEL_ROWS - (row % LABEL_ROWS) - 0.5) * ROW * unit
  const leftwards = x > bbox.left + bbox.width * 0.62
  on.line([[x, y], [x, bbox.top + bbox.height]], colour("ink"), 1, [3, 3])
  on.say(words, x + (leftwards ? -4 : 4) * unit, y, colour("ink"), leftwards ? "right" : "left", 600)
}

function cross({ line, unit }, x, y, half, colour) {
  const arm = half * unit
  for (const way of [1, -1]) {
    line([[x - arm, y - way * arm], [x + arm, y + way * arm]], colour("lost"), 2.25, [])
  }
}

function faded(colour, share) {
  return `color-mix(in srgb, ${colour} ${share * 100}%, transparent)`
}
