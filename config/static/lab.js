// What HTML cannot do: put a text or an address into the clipboard. Without JavaScript, or where
// the browser forbids it (no TLS), the buttons stay hidden: both can be selected and copied by hand.
function offerToCopy() {
  if (!navigator.clipboard) return
  for (const button of document.querySelectorAll("[data-copy], [data-copy-link]")) button.hidden = false
}

// An empty address is the page's own, which holds the moment of a replay.
function toCopy({ copy, copyLink }) {
  return copy ? document.getElementById(copy).textContent : new URL(copyLink || location.href, location).href
}

document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copy], [data-copy-link]")
  if (!button) return
  await navigator.clipboard.writeText(toCopy(button.dataset))
  button.textContent = "Copied"
})
document.addEventListener("htmx:afterSettle", offerToCopy)
offerToCopy()

// A page made for paper offers to be printed; without JavaScript the browser's own menu does it.
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false
  button.addEventListener("click", () => window.print())
}

// A link into something folded unfolds it, in browsers that do not do so themselves.
function fragment() {
  try { return decodeURIComponent(location.hash.slice(1)) } catch { return "" } // a damaged address
}
function unfold() {
  const target = document.getElementById(fragment())
  const folded = target?.closest("details:not([open])")
  if (!folded) return
  for (let each = folded; each; each = each.parentElement?.closest("details")) each.open = true
  target.scrollIntoView()
}
addEventListener("hashchange", unfold)
unfold()

// htmx leaves a page as it is when the server refuses or does not answer; what somebody sent is
// answered by a notice. A page that asks by itself says so once it has asked three times in vain:
// what it shows is old, and looks new.
const refused = document.getElementById("refused")
let inVain = 0
function sayStale(status) {
  inVain += 1
  if (inVain < 3) return
  refused.textContent = status === 404
    ? "What this page shows is no longer there. Load the page again."
    : "The server does not answer, so this page may be out of date. It asks again by itself."
  refused.hidden = false
}
function sayWhy({ detail: { requestConfig, xhr } }) {
  if (requestConfig.verb !== "post") return sayStale(xhr.status)
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html")
  refused.textContent = page.querySelector(".lede")?.textContent ?? "The server did not answer. Try again."
  refused.hidden = false
  refused.scrollIntoView({ block: "nearest" })
}
document.body.addEventListener("htmx:responseError", sayWhy)
document.body.addEventListener("htmx:sendError", sayWhy)
document.body.addEventListener("htmx:afterSwap", () => { refused.hidden = true })
document.body.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr } }) => {
  if (xhr.status >= 400) return
  if (inVain >= 3) refused.hidden = true
  inVain = 0
})

// The server closes a connection that brings too much, and the browser shows nothing of its answer.
for (const input of document.querySelectorAll("[data-most-bytes]")) {
  input.addEventListener("change", () => {
    const { mostBytes, mostTogether } = input.dataset, files = [...input.files]
    const large = files.find(file => file.size > mostBytes)
    const many = files.reduce((sum, file) => sum + file.size, 0) > mostTogether
    input.setCustomValidity(large ? `${large.name} has more than 1 MB.` : many ? "These files have more than 3 MB together." : "")
    input.reportValidity()
  })
  // Files that are dropped beside the field are chosen, too; the browser would open them instead.
  input.form.addEventListener("dragover", event => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault()
  })
  input.form.addEventListener("drop", event => {
    if (!event.dataTransfer.files.length) return
    event.preventDefault()
    input.files = event.dataTransfer.files
    input.dispatchEvent(new Event("change"))
  })
}

// The picture of a run is drawn anew each second; its dots go on from where they were.
document.body.addEventListener("htmx:afterSwap", () => {
  for (const each of document.getAnimations()) if (each.animationName === "live-flow") each.startTime = 0
})

// What is drawn anew each second stays as it is while something in it is pressed: a click on a
// button that was replaced meanwhile would be lost. The last answer, a 286, is always shown.
document.body.addEventListener("htmx:beforeSwap", event => {
  const { target, xhr } = event.detail
  const pressed = target.matches("[hx-trigger^=every]") && target.querySelector(":active")
  if (pressed && xhr.status === 200) event.detail.shouldSwap = false
})

// A second click while the answer to the first is on its way would ask twice. A form whose answer is
// a file leaves the page as it is, and can be sent again after some seconds.
document.addEventListener("submit", event => {
  const form = event.target
  if (form.method !== "post" || event.defaultPrevented) return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = "yes"
  setTimeout(() => delete form.dataset.sent, 5000)
})
// A page of answers that the browser kept in memory may be older than what is saved: ask again.
addEventListener("pageshow", event => {
  if (event.persisted && document.querySelector("input[name=stamp]")) location.reload()
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent
})
