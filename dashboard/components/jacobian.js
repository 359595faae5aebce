// A drawer with the elasticities of every value. Anything on the page opens it with the event `scalegrad:elasticities`.

const CROSS = "M4 4l8 8M12 4l-8 8", MOST_FOUND = 60

const shortened = (slope) => `${slope < 0 ? "−" : "+"}${Math.abs(slope).toFixed(2)}`

/** Hand a text to the browser as a file. */
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}))
  h("a", {href: address, download: name}).click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

function asCsv(rows, knobs, empty) {
  const quoted = (cell) => /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  const slope = (row, {name}) => row.reason || empty.has(name) ? "" : String(row.elasticities[name] ?? 0)
  const lines = rows.map((row) => [row.of, row.unit, row.value == null ? "" : String(row.value), ...knobs.map((knob) => slope(row, knob))])
  return [["quantity", "unit", "value", ...knobs.map(({name}) => name)], ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n"
}

function asJson(rows, knobs, empty) {
  const table = rows.map(({of, label, unit, value, reason, elasticities}) => ({quantity: of, label, unit, value, reason,
    elasticities: Object.fromEntries(knobs.map(({name}) => [name, reason || empty.has(name) ? null : elasticities[name] ?? 0]))}))
  return JSON.stringify(table, null, 1)
}

export function render({model}) {
  const {knobs} = model.spec
  const order = {by: "", falling: true}
  const search = h("input", {type: "search", placeholder: "Filter the values", "aria-label": "Filter the values", oninput: () => paintTable()})
  const chapter = h("select", {"aria-label": "Chapter", onchange: () => { search.value = ""; paintTable() }})
  const file = (kind, type, write) => h("button", {class: "file", onclick: () => save(`elasticities.${kind}`, type, write(model.data.rows, knobs, new Set(model.data.empty)))}, kind.toUpperCase())
  const files = [file("csv", "text/csv", asCsv), file("json", "application/json", asJson)]
  const close = h("button", {class: "close", "aria-label": "Close", onclick: () => dialog.close()}, icon(CROSS))
  const head = h("tr"), rows = h("tbody"), remark = h("p", {class: "remark", role: "status"})
  const table = h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of elasticities"}, h("table", {}, h("thead", {}, head), rows))
  const dialog = h("dialog", {"aria-label": "All elasticities", onclose: () => model.send_msg({kind: "close"})},
    h("div", {class: "head"}, h("h2", {}, "All elasticities ", h("small", {}, "% change per +1 % of the knob")), close),
    h("div", {class: "tools"}, chapter, search, h("span", {class: "save"}, "Save all as ", files)), remark, table)
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close() })

  document.addEventListener("scalegrad:elasticities", () => {
    if (dialog.open) return
    dialog.showModal()
    rows.replaceChildren()
    write(remark, "Working out every elasticity…")
    for (const button of files) button.disabled = true
    model.send_msg({kind: "open"})
  })

  const choose = (of) => { model.send_msg({kind: "choose", of}); dialog.close() }

  function shownRows() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (!words.length) return model.data.rows.filter((row) => row.chapter === chapter.value)
    return model.data.rows.filter(({of, label, symbol: letters}) => words.every((word) => `${of} ${label} ${letters}`.toLowerCase().includes(word)))
  }

  function sorted(found) {
    if (!order.by) return found
    const sign = order.falling ? -1 : 1
    const key = order.by === "name" ? (row) => row.label.toLowerCase() : (row) => Math.abs(row.elasticities[order.by] ?? 0)
    return [...found].sort((one, other) => { const [a, b] = [key(one), key(other)]; return a < b ? -sign : a > b ? sign : 0 })
  }

  function sortBy(name) {
    order.falling = order.by === name ? !order.falling : name !== "name"
    order.by = name
    paintTable()
    head.querySelector(`[data-by="${name}"]`)?.focus()
  }

  function heading(name, title, content) {
    const sort = order.by === name ? (order.falling ? "descending" : "ascending") : "none"
    return h("th", {scope: "col", "aria-sort": sort}, h("button", {"data-by": name, title, onclick: () => sortBy(name)}, content,
      h("span", {class: "arrow", "aria-hidden": "true"}, sort === "none" ? "" : order.falling ? "↓" : "↑")))
  }

  function paintTable() {
    if (!model.data.rows) return
    const all = sorted(shownRows()), found = all.slice(0, search.value ? MOST_FOUND : all.length)
    const columns = knobs.filter(({name}) => found.some((row) => row.elasticities[name]))
    head.replaceChildren(heading("name", "Sort by name", "Value"), h("th", {scope: "col"}, "Now"),
      ...columns.map((knob) => heading(knob.name, `${knob.label}: sort by size`, symbol(knob.symbol))))
    rows.replaceChildren(...found.map((row) => h("tr", {class: row.of === model.data.focus ? "focus" : "", "data-of": row.of},
      h("th", {scope: "row"}, h("button", {class: "name", title: `Put ${row.label} in focus`, onclick: () => choose(row.of)}, `${row.label} `, symbol(row.symbol))),
      h("td", {title: row.value == null ? row.reason : `${row.value} ${row.unit}`}, row.number),
      row.reason ? h("td", {class: "why", colspan: Math.max(columns.length, 1)}, row.reason) : columns.map(({name}) => cell(row.elasticities[name])))))
    const more = all.length > found.length ? `, ${found.length} shown` : ""
    write(remark, `${all.length} ${all.length === 1 ? "value" : "values"}${more}; ${columns.length} of ${knobs.length} knobs move them, the others have exactly no effect.`)
  }

  const cell = (slope) => slope ? h("td", {title: String(slope), class: Math.abs(slope) < 0.005 ? "small" : ""}, shortened(slope)) : h("td", {class: "zero"}, "0")

  const paint = () => {
    const {rows: found, chapter: here} = model.data
    if (!found) return
    const chapters = [...new Set(found.map((row) => row.chapter))]
    if (chapter.options.length !== chapters.length) {
      chapter.replaceChildren(...chapters.map((name) => h("option", {value: name}, name[0].toUpperCase() + name.slice(1))))
    }
    chapter.value = here
    for (const button of files) button.disabled = false
    paintTable()
    rows.querySelector(".focus")?.scrollIntoView({block: "center"})
    table.scrollLeft = 0
  }
  model.on("change:data", paint)
  paint()
  return dialog
}
