// The answer as a sentence and a table.

export function render({model}) {
  const verdict = h("strong"), words = h("span"), sentence = h("p", {class: "sentence", role: "status", "aria-live": "polite"}, verdict, words)
  const head = h("tr"), rows = h("tbody")
  const table = h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Answer in numbers"}, h("table", {}, h("thead", {}, head), rows))
  const apply = h("button", {class: "apply", onclick: () => model.send_msg({kind: "apply"})}, "Apply")
  const discard = h("button", {class: "discard", onclick: () => model.send_msg({kind: "discard"})}, "Discard")
  const note = h("span", {class: "note"}), go = h("div", {class: "go"}, apply, discard, note)
  const empty = h("p", {class: "empty"}, "Choose a value and the knobs that may move, then search. The answer and the way there appear here; nothing moves until you apply it.")
  const paint = () => {
    const {verdict: said, words: told = "", columns = [], rows: found = [], able, applied} = model.data
    const none = said == null
    empty.hidden = !none
    table.hidden = go.hidden = none
    write(verdict, said ?? "")
    write(words, told ? ` ${told}` : "")
    head.replaceChildren(h("th", {scope: "col"}, ""), ...columns.map((column) => h("th", {scope: "col"}, column)))
    rows.replaceChildren(...found.map((row) => h("tr", {class: row.asked ? "asked" : "", "data-of": row.of},
      h("th", {scope: "row"}, `${row.label} `, row.symbol ? symbol(row.symbol) : ""), row.cells.map(({text, full}) => h("td", {title: full}, text)))))
    apply.disabled = !able || applied
    write(note, applied ? "Applied; undo takes it back." : able ? "Apply takes the last column." : "No point to go to.")
  }
  model.on("change:data", paint)
  paint()
  return h("section", {"aria-label": "Answer"}, sentence, empty, table, go)
}
