export function render({model}) {
  const {title, heads} = model.spec
  const remark = h("small"), body = h("tbody"), notes = h("div", {class: "notes"})
  const act = h("button", {class: "act", onclick: () => model.send_msg({kind: "act"})})
  const paint = () => {
    const {remark: said, rows = [], notes: lines = [], action} = model.data
    write(remark, said ?? "")
    body.replaceChildren(...rows.map(([name, ...cells]) => h("tr", {}, h("th", {scope: "row"}, name), cells.map((cell) => h("td", {}, cell)))))
    notes.replaceChildren(...lines.map((line) => h("p", {}, line)))
    act.hidden = !action
    write(act, action ?? "")
  }
  model.on("change:data", paint)
  paint()
  const table = h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", {scope: "col"}, head)))), body)
  return h("section", {"aria-label": title}, h("h2", {}, title, remark), h("div", {class: "sheet"}, table), notes, act)
}
