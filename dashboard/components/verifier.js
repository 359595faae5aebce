// The verifier: filters, a plain table of every statement, and one of them at length: beside the table, or under its row
// where the window is narrow.

const SIGNS = {
  agrees: "M3 8.5l3.2 3.2L13 4.8",
  rounded: "M2.5 6.4c1.8-2 3.6-2 5.5-.6s3.7 1.4 5.5-.6M2.5 10.8c1.8-2 3.6-2 5.5-.6s3.7 1.4 5.5-.6",
  differs: "M3 6h10M3 10h10M10.6 3l-5.2 10",
  quoted: "M6.5 5H3.4v3.2h3.1zm0 3.2c0 1.6-1 2.6-2.4 3M12.6 5H9.5v3.2h3.1zm0 3.2c0 1.6-1 2.6-2.4 3",
  none: "M4 8h8",
}
const COLUMNS = ["", "Statement", "Quantity", "Stated", "Recomputed", "Verdict", "Source"]
const LINKS_SHOWN = 2
const STEPS_SHOWN = 6
const BARS_SHOWN = 8

function sign(name) {
  return h("span", {class: `sign ${name}`}, icon(SIGNS[name]))
}

/** The last few quantities on the way, small below the one that is stated. */
function way(symbols) {
  const last = symbols.slice(-LINKS_SHOWN)
  return h("small", {title: symbols.join(" → ")}, symbols.length > last.length ? "via … " : "via ", last.flatMap((name, index) => [index ? ", " : "", symbol(name)]))
}

function tableRow(row, open) {
  const [number, unit] = row.found, [stated, statedUnit] = row.stated
  const button = h("button", {class: "open", "aria-expanded": "false"}, row.text)
  const element = h("tr", {role: "row", "data-id": row.id, onclick: () => open(row.id)},
    h("td", {role: "cell", class: "number"}, String(row.number)),
    h("th", {role: "rowheader", scope: "row", class: "text"}, button),
    h("td", {role: "cell", class: "quantity", title: row.label}, row.symbol && symbol(row.symbol), row.via.length ? way(row.via) : null),
    h("td", {role: "cell", class: "stated"}, stated, statedUnit !== unit && h("small", {}, ` ${statedUnit}`) || null),
    h("td", {role: "cell", class: "found", title: row.full}, h("span", {class: "value"}, number), h("span", {class: "unit"}, unit)),
    h("td", {role: "cell", class: "verdict"}, sign(row.sign), row.words),
    h("td", {role: "cell", class: "chapter"}, row.chapter))
  const words = [row.id, row.text, row.label, row.symbol, row.chapter, row.words].join(" ").toLowerCase()
  return {row, element, button, words}
}

function filterBar(filters, changed) {
  const search = h("input", {type: "search", id: "search", placeholder: "Search statements", autocomplete: "off", spellcheck: "false", oninput: changed})
  const selects = filters.map(({key, label, options}) => [key, label, h("select", {id: key, onchange: changed},
    h("option", {value: ""}, "All"), options.map(([value, text]) => h("option", {value}, text)))])
  const shown = h("p", {class: "shown", role: "status"})
  const element = h("form", {class: "filters", role: "search", "aria-label": "Filter the statements", onsubmit: (event) => event.preventDefault()},
    h("div", {class: "picker wide"}, h("label", {for: "search"}, "Search"), search),
    selects.map(([key, label, select]) => h("div", {class: "picker"}, h("label", {for: key}, label), select, icon("M4 6l4 4 4-4", 12))), shown)
  const passes = ({row, words}) => selects.every(([key, , select]) => !select.value || row[key] === select.value)
    && search.value.toLowerCase().split(/\s+/).every((word) => words.includes(word))
  return {element, passes, say: (text) => write(shown, text)}
}

function formulaLine(markup, kind) {
  const line = h("p", {class: `symbol formula ${kind}`})
  line.innerHTML = markup
  return line
}

function named({label, html: letters}) {
  const short = h("span", {class: "symbol"})
  short.innerHTML = letters
  return h("span", {class: "name"}, `${label} `, short)
}

function values(rows, kind = "") {
  return h("dl", {class: `values ${kind}`}, rows.map((row) => h("div", {"data-name": row.name ?? false},
    h("dt", {}, row.html ? named(row) : row.label), h("dd", {title: row.full ?? false}, row.value,
      row.origin ? h("small", {}, ` ${row.origin}`) : null))))
}

function folded(summary, content) {
  return h("details", {}, h("summary", {}, summary), content)
}

function barRows(bars) {
  const span = Math.max(1, ...bars.map(({e}) => Math.abs(e)))
  return h("ul", {class: "bars"}, bars.map((bar) => h("li", {"data-knob": bar.name}, named(bar),
    h("span", {class: "lane", "aria-hidden": "true"},
      h("span", {class: `bar ${bar.e < 0 ? "neg" : "pos"}`, style: `width: ${(50 * Math.abs(bar.e) / span).toFixed(2)}%`})),
    h("span", {class: "amount", title: bar.full}, bar.text))))
}

function joined([number, unit]) {
  return unit ? `${number} ${unit}` : number
}

function derivation(shown) {
  const {steps, rounded, roundings, inputs, bars} = shown
  const early = steps.slice(0, -STEPS_SHOWN), late = steps.slice(-STEPS_SHOWN)
  const loud = inputs.filter(({quiet}) => !quiet), quiet = inputs.filter(({quiet}) => quiet)
  return [
    h("h3", {}, "How it is recomputed"),
    shown.formula ? formulaLine(shown.formula, "letters") : h("p", {class: "muted"}, "It is an input of the graph: nothing to compute."),
    shown.numbers ? formulaLine(shown.numbers, "figures") : null,
    early.length ? folded(`${early.length} quantities before these`, values(early)) : null,
    late.length ? values(late) : null,
    values([
      {label: "Recomputed", value: joined(shown.found), full: shown.full},
      ...(rounded ? [{label: "With the rounded inputs", value: joined(rounded)}] : []),
      {label: "Stated", value: joined(shown.stated)},
    ], "sum"),
    roundings.length ? [h("h3", {}, "Rounded by the book"), values(roundings)] : [],
    h("h3", {}, "Inputs"),
    values(loud),
    quiet.length ? folded(`${quiet.length} more at their printed or default values, without effect here`, values(quiet)) : null,
    bars.length ? [
      h("h3", {}, "What moves it here"),
      h("p", {class: "muted"}, "% change per +1 % of the input"),
      barRows(bars.slice(0, BARS_SHOWN)),
      bars.length > BARS_SHOWN ? folded(`${bars.length - BARS_SHOWN} smaller`, barRows(bars.slice(BARS_SHOWN))) : null,
    ] : [],
  ].flat().filter((part) => part != null)
}

function story(shown, send, close) {
  const pages = {training: "Training", inference: "Inference"}
  return [
    h("div", {class: "eyebrow"}, h("span", {title: "Its name in scalegrad verify"}, `${shown.number}, ${shown.id}`), close),
    h("h2", {}, shown.text),
    h("p", {class: "said"}, sign(shown.sign), h("strong", {}, `${shown.words[0].toUpperCase()}${shown.words.slice(1)}.`), shown.reason ? ` ${shown.reason}.` : ""),
    shown.printed ? h("p", {class: "muted"}, `Printed: “${shown.printed}” (${shown.edition}).`) : null,
    shown.note ? h("p", {class: "muted"}, `${shown.note}.`) : null,
    ...(shown.derived ? derivation(shown) : []),
    h("div", {class: "ways"},
      shown.derived ? h("button", {class: "load", onclick: () => send({kind: "load", id: shown.id})}, `Load this point in ${pages[shown.page]}`) : null,
      shown.given?.length ? h("p", {class: "muted"}, `Given by the source, so computed anew there: ${shown.given.join(", ")}.`) : null,
      h("a", {href: shown.link, target: "_blank", rel: "noopener"}, `${shown.chapter}: ${shown.section}`)),
  ].filter((part) => part != null)
}

export function render({model}) {
  const {rows: lines, title, counts, seconds, filters} = model.spec
  const send = (message) => model.send_msg(message)
  const narrow = matchMedia("(max-width: 1199px)")
  let chosen = false, opened = model.data.open?.id

  const open = (id) => {
    const closes = narrow.matches && chosen && id === opened
    chosen = true
    opened = closes ? null : id
    place()
    send({kind: "open", id: opened})
  }
  const rows = lines.map((line) => tableRow(line, open))
  const byId = new Map(rows.map((each) => [each.row.id, each]))
  const body = h("tbody", {role: "rowgroup"}, rows.map(({element}) => element))
  const table = h("table", {role: "table", "aria-label": title},
    h("thead", {role: "rowgroup"}, h("tr", {role: "row"}, COLUMNS.map((name) => name
      ? h("th", {role: "columnheader", scope: "col", class: name.toLowerCase()}, name)
      : h("td", {role: "cell", class: "number"})))), body)
  const filter = filterBar(filters, () => sift())
  const sift = () => {
    let count = 0
    for (const each of rows) {
      const passes = filter.passes(each)
      each.element.hidden = !passes
      count += passes
    }
    filter.say(`${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`)
    place()
  }
  body.addEventListener("keydown", (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (!step || !event.target.matches(".open")) return
    event.preventDefault()
    const visible = rows.filter(({element}) => !element.hidden)
    const at = visible.findIndex(({button}) => button === event.target)
    visible[at + step]?.button.focus()
  })

  const close = h("button", {class: "close", "aria-label": "Close the statement", onclick: (event) => {
    event.stopPropagation()
    const last = byId.get(opened)
    opened = null
    place()
    last?.button.focus()
    send({kind: "open", id: null})
  }}, icon("M4 4l8 8M12 4l-8 8"))
  const detail = h("aside", {"aria-label": "The open statement", tabindex: "-1"})
  const under = h("tr", {class: "under", role: "row"}, h("td", {role: "cell", colspan: String(COLUMNS.length)}))
  const whole = h("section", {class: "sheet", "aria-labelledby": "verifier-title"},
    h("div", {class: "list"},
      h("div", {class: "top"},
        h("div", {}, h("h1", {id: "verifier-title"}, title), h("p", {class: "muted"}, `Always at the book's printed specs, whatever the knobs say. Recomputed just now in ${seconds}.`)),
        h("p", {class: "counts"}, h("strong", {}, counts[0]), counts[1], h("strong", {}, counts[2]), counts[3])),
      filter.element, table,
      h("p", {class: "foot"}, "Agrees: rounds, or truncates, to the digits printed. Inputs rounded: agrees once the book's own rounded numbers are put in.")),
    detail)

  /** Put the open statement beside the table, or under its row; mark the row. */
  const place = () => {
    const shown = narrow.matches && !chosen ? null : opened
    const row = byId.get(shown)
    for (const each of rows) {
      mark(each.button, "aria-expanded", String(each === row))
      each.element.classList.toggle("chosen", each === row)
    }
    whole.classList.toggle("closed", !row)
    detail.hidden = !row
    if (narrow.matches && row && !row.element.hidden) {
      under.firstChild.append(detail)
      row.element.after(under)
    } else {
      under.remove()
      if (detail.parentNode !== whole) whole.append(detail)
    }
  }
  const paint = () => {
    const shown = model.data.open
    if (shown && shown.id !== opened) return
    detail.replaceChildren(...(shown ? story(shown, send, close) : []))
    detail.scrollTop = 0
  }
  narrow.addEventListener("change", place)
  model.on("change:data", paint)
  paint()
  sift()
  return whole
}
