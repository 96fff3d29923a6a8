// What HTML cannot do: put the text of an element into the clipboard. Without JavaScript, or
// where the browser forbids it (no TLS), the buttons stay hidden and the text can be selected.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
      button.textContent = "Copied"
    })
  }
}

// A page made for paper offers to be printed; without JavaScript the browser's own menu does it.
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false
  button.addEventListener("click", () => window.print())
}

// A link into something folded unfolds it, in browsers that do not do so themselves.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const folded = target?.closest("details:not([open])")
  if (!folded) return
  for (let each = folded; each; each = each.parentElement?.closest("details")) each.open = true
  target.scrollIntoView()
}
addEventListener("hashchange", unfold)
unfold()

// The picture of a run is drawn anew each second; its dots go on from where they were.
document.body.addEventListener("htmx:afterSwap", () => {
  for (const each of document.getAnimations()) if (each.animationName === "live-flow") each.startTime = 0
})
