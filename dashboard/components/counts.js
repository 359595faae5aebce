// A table of counts with a model in the head of each of its two columns.

const CHEVRON = "M4 6l4 4 4-4"

function picker(index, send) {
  const select = h("select", {"aria-label": index ? "Right model" : "Left model", onchange: () => send({kind: "pick", side: index, key: select.value})})
  let drawn = ""
  return {
    element: h("div", {class: "pick"}, select, icon(CHEVRON, 12)),
    paint(groups, key, title) {
      const now = JSON.stringify(groups)
      if (now !== drawn) {
        drawn = now
        select.replaceChildren(...groups.map(([label, entries]) => h("optgroup", {label},
          entries.map(([value, text]) => h("option", {value}, text)))))
      }
      select.value = key
      select.title = title
    },
  }
}

export function render({model}) {
  const send = (message) => model.send_msg(message)
  const pickers = [0, 1].map((index) => picker(index, send))
  const loads = [0, 1].map((index) => h("button", {class: "load", onclick: () => send({kind: "load", side: index})}))
  const heads = [0, 1].map(() => h("th", {scope: "col"}))
  const body = h("tbody"), note = h("small")
  const paint = () => {
    const {sides, groups, rows, remark} = model.data
    write(note, remark)
    sides.forEach(({key, title, load}, index) => {
      pickers[index].paint(groups, key, title)
      write(heads[index], title)
      write(loads[index], load.text)
      loads[index].disabled = !load.able
      mark(loads[index], "title", load.reason)
      mark(loads[index], "aria-label", load.able ? `Use ${title} in Training and Inference` : null)
    })
    body.replaceChildren(...rows.map(({label, kind, cells}) => h("tr", {class: kind}, h("th", {scope: "row"}, label),
      cells.map(([number, unit, full]) => h("td", {title: full}, h("b", {}, number), unit ? h("small", {}, ` ${unit}`) : null)))))
  }
  model.on("change:data", paint)
  paint()
  return h("section", {"aria-label": "Side by side"}, h("h2", {}, "Side by side", note),
    h("div", {class: "pickers"}, pickers.map(({element}) => element)),
    h("table", {"aria-label": "Counts of two models"}, h("colgroup", {}, h("col"), h("col", {class: "values"}), h("col", {class: "values"})),
      h("thead", {}, h("tr", {}, h("td"), heads)), body,
      h("tfoot", {}, h("tr", {}, h("td"), loads.map((load) => h("td", {}, load))))))
}
