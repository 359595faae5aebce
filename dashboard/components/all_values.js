// A drawer with every value. Anything on the page opens it with the event `scalegrad:values`; so does the key "/".

const CROSS = "M4 4l8 8M12 4l-8 8"

function row(shown, choose) {
  return h("button", {class: "row", "data-of": shown.of, title: `${shown.title} (${shown.note})`, onclick: () => choose(shown.of)},
    h("span", {class: "name"}, shown.label, " ", shown.symbol ? symbol(shown.symbol) : ""),
    h("span", {class: "number"}, shown.number), h("span", {class: "unit"}, shown.unit))
}

export function render({model}) {
  const search = h("input", {type: "search", placeholder: "Search the values", "aria-label": "Search the values", oninput: () => filter()})
  const list = h("div", {class: "list"}), none = h("p", {class: "none", hidden: true}, "No value of that name.")
  const close = h("button", {class: "close", "aria-label": "Close", onclick: () => dialog.close()}, icon(CROSS))
  const dialog = h("dialog", {"aria-label": "All values", onclose: () => model.send_msg({kind: "close"})},
    h("div", {class: "head"}, h("h2", {}, "All values"), close), search, list, none)
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close() })

  const choose = (of) => { model.send_msg({kind: "choose", of}); dialog.close() }

  const open = () => {
    if (dialog.open) return
    search.value = ""
    dialog.showModal()
    search.focus()
    model.send_msg({kind: "open"})
  }
  document.addEventListener("scalegrad:values", open)
  document.addEventListener("keydown", (event) => {
    const typing = event.composedPath()[0].matches?.("input, textarea, select")
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); open() }
  })

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    let found = 0
    for (const chapter of list.children) {
      let here = 0
      for (const button of chapter.querySelectorAll(".row")) {
        const text = `${button.textContent} ${button.dataset.of}`.toLowerCase()
        button.hidden = !words.every((word) => text.includes(word))
        here += !button.hidden
      }
      chapter.hidden = here === 0
      found += here
    }
    none.hidden = found > 0
  }

  const paint = () => {
    const {chapters = [], focus} = model.data
    list.replaceChildren(...chapters.map(({title, rows}) =>
      h("section", {}, h("h3", {}, title), rows.map((shown) => row(shown, choose)))))
    list.querySelector(`[data-of="${focus}"]`)?.setAttribute("aria-pressed", "true")
    filter()
  }
  model.on("change:data", paint)
  paint()
  return dialog
}
