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
