"""The positions of the parts of a page, and texts that overlap or are cut off, in Chromium.

Nothing here depends on the fonts of a machine. For parts that are as wide as their text only the
presence is recorded, and heights are never recorded (docs/decisions/0077-layouts-are-compared.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Page

Part = tuple[str, int | None, int | None]
"""The name of a part, and its left and right edge in pixels; None where its text decides them."""

SLACK_PX = 4
"""Tolerance for rounding and the width of a border."""

PARTS = """() => {
  const wanted = `nav, h1, h2, h3, .card, .arm, .notice, .empty, .count, .lane-log, .live-log,
    .live-client, .deciding > *, .split > *, .field, .answer, .choice, .table-scroll, table,
    svg.plot, .picture > svg, canvas, pre, .button-primary, .steps, .legend, .phases, .log,
    .facts, .entries, .group, .site-foot p`
  const seen = [...document.querySelectorAll(wanted)].filter(each => each.checkVisibility())
  return seen.map(each => {
    const style = getComputedStyle(each), outer = getComputedStyle(each.parentElement)
    const inRow = outer.display.includes("flex") && outer.flexDirection === "row"
    const ofText = style.display.startsWith("inline") || each.closest("summary, .row, .actions")
    const { left, right } = each.getBoundingClientRect()
    const name = each.tagName.toLowerCase() + (each.classList[0] ? "." + each.classList[0] : "")
    return inRow || ofText ? [name, null, null] : [name, Math.round(left), Math.round(right)]
  })
}"""

SEEN = """
const clipped = each => getComputedStyle(each).clipPath !== "none"
const isSeen = each => {
  if (!each.checkVisibility({ opacityProperty: true })) return false
  if (each.matches("details:not([open])")) return false
  if (each.closest("title, desc, option, .skip, script, style, textarea")) return false
  for (let up = each; up; up = up.parentElement) if (clipped(up)) return false
  return true
}"""

CUT = f"""() => {{ {SEEN}
  return [...document.body.querySelectorAll("*")]
    .filter(each => each.childElementCount === 0 && each.textContent.trim() && isSeen(each))
    .filter(each => each.scrollWidth > each.clientWidth + 1)
    .filter(each => getComputedStyle(each).overflowX === "hidden")
    .map(each => each.outerHTML.slice(0, 120))
}}"""
"""Finds elements whose text is cut off."""

COLLISIONS = f"""() => {{ {SEEN}
  const BLOCKS = "text, p, li, td, th, dt, dd, h1, h2, h3, label, pre, summary, figure, div"
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const boxes = []
  for (let node; (node = texts.nextNode());) {{
    const inside = node.parentElement, text = node.textContent.trim().slice(0, 40)
    if (!text || !isSeen(inside)) continue
    const block = inside.closest(BLOCKS) ?? inside
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const {{ left, right, top, bottom }} of range.getClientRects()) {{
      const room = (bottom - top) * 0.3  // above and below the letters
      if (right - left < 2) continue
      boxes.push({{ block, text, left, right, top: top + room, bottom: bottom - room }})
    }}
  }}
  boxes.sort((a, b) => a.top - b.top)
  const found = []
  for (const [at, one] of boxes.entries()) {{
    for (let next = at + 1; next < boxes.length && boxes[next].top < one.bottom; next += 1) {{
      const other = boxes[next]
      // In one block the browser itself keeps the lines apart.
      if (one.block.contains(other.block) || other.block.contains(one.block)) continue
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
      if (wide > 2 && high > 1) found.push(`“${{one.text}}” on “${{other.text}}”`)
    }}
  }}
  return found
}}"""
"""Finds texts of different blocks that overlap."""


def parts(page: Page) -> list[Part]:
    """Every visible part of the page, in document order."""
    return [(name, left, right) for name, left, right in page.evaluate(PARTS)]


def collisions(page: Page) -> list[str]:
    """Texts that overlap, and texts that are cut off."""
    # Sticky elements may cover what scrolls beneath them, so the page is scrolled to the top.
    page.evaluate("scrollTo(0, 0)")
    overlaps: list[str] = page.evaluate(COLLISIONS)
    return overlaps + [f"cut off: {element}" for element in page.evaluate(CUT)]


def moved(before: Sequence[Sequence[object]], now: Sequence[Part]) -> list[str]:
    """The parts that have moved, one line each; empty if none has."""
    names, names_now = [str(part[0]) for part in before], [part[0] for part in now]
    if names != names_now:
        at = next(
            (i for i, (a, b) in enumerate(zip(names, names_now, strict=False)) if a != b),
            min(len(names), len(names_now)),
        )
        return [f"part {at}: was {names[at : at + 3]}, is {names_now[at : at + 3]}"]
    return [
        f"part {at} ({name}): was from {left} to {right}, is from {from_} to {to}"
        for at, ((_, left, right), (name, from_, to)) in enumerate(zip(before, now, strict=True))
        if _differs(left, from_) or _differs(right, to)
    ]


def _differs(one: object, other: int | None) -> bool:
    if not isinstance(one, int) or other is None:
        return one is not other
    return abs(one - other) > SLACK_PX
