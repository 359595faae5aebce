// The limits: a table of conventions with a select each, what stays out, and the standing of what the pages show.

const CHEVRON = "M4 6l4 4 4-4"
const RESET = "M3 4.5V1.5M3 4.5H6M3 4.5A5.6 5.6 0 1 1 2.4 8"
const ERRORS = {optimistic: "M8 13V3M4 7l4-4 4 4", pessimistic: "M8 3v10M4 9l4 4 4-4", "either way": "M5 13V3M2 6l3-3 3 3M11 3v10M8 10l3 3 3-3"}

function head(names) {
  return h("thead", {}, h("tr", {}, names.map((name) => h("th", {scope: "col"}, name))))
}

function convention(row, send) {
  const id = `limit-${row.name}`
  const select = h("select", {id, title: row.doc, onchange: () => send({kind: "choose", name: row.name, option: select.value})},
    row.options.map(({value, words}) => h("option", {value}, words)))
  const note = h("span"), reset = h("button", {class: "reset", onclick: () => send({kind: "reset", name: row.name})}, note, icon(RESET, 11))
  const others = h("ul", {class: "others"}), choice = h("span"), evidence = h("small")
  const element = h("tr", {"data-knob": row.name},
    h("th", {scope: "row"}, h("label", {for: id}, `${row.label} `, symbol(row.symbol)), h("p", {class: "doc"}, row.doc)),
    h("td", {}, h("span", {class: "pick"}, select, icon(CHEVRON, 12)), reset),
    h("td", {class: "changes"}, others),
    h("td", {class: "book"}, choice, evidence))
  return {
    name: row.name,
    element,
    paint({value, words, preset, effects, book}) {
      if (![...select.options].some((option) => option.value === value)) {
        select.querySelector(".typed")?.remove()
        select.append(h("option", {class: "typed", value}, words))
      }
      select.value = value
      element.classList.toggle("changed", preset != null)
      reset.hidden = preset == null
      write(note, `preset ${preset ?? ""}`)
      mark(reset, "aria-label", preset != null && `Reset ${row.label} to its preset ${preset}`)
      while (others.childElementCount > effects.length) others.lastElementChild.remove()
      while (others.childElementCount < effects.length) others.append(h("li", {}, h("span", {class: "option"}), h("span")))
      effects.forEach(({option, change, reason}, index) => {
        const [name, text] = others.children[index].children
        write(name, option)
        write(text, [change, reason].filter(Boolean).join("; "))
        text.classList.toggle("none", change === "nothing")
      })
      write(choice, book.choice)
      write(evidence, book.evidence)
    },
  }
}

function omission({name, error, sentence}) {
  const here = h("p", {class: "here"})
  const element = h("tr", {}, h("th", {scope: "row"}, name), h("td", {class: "direction"}, icon(ERRORS[error]), error), h("td", {}, h("p", {}, sentence), here))
  return {error, element, paint: (text) => { write(here, text); here.hidden = !text }}
}

function standing({standing: name, meaning, shown, count}, send) {
  return h("div", {class: "standing"}, h("dt", {}, name[0].toUpperCase() + name.slice(1), h("small", {}, `${count} quantities`)),
    h("dd", {}, h("p", {class: "doc"}, `${meaning[0].toUpperCase()}${meaning.slice(1)}.`),
      shown.length ? h("ul", {}, shown.map(({page, title, of, label}) => h("li", {},
        h("button", {class: "value", title: `Show in ${title}`, "data-of": of, onclick: () => send({kind: "focus", page, of})}, label)))) : null))
}

export function render({model}) {
  const send = (message) => model.send_msg(message)
  const rows = model.spec.sections.map(({title, rows}) => ({title, rows: rows.map((row) => convention(row, send))}))
  const omissions = model.spec.omissions.map(omission)
  const beyond = h("p", {class: "beyond", role: "status"})
  const paint = () => {
    const {rows: shown, here, beyond: line} = model.data
    if (!shown) return
    rows.forEach(({rows: each}) => each.forEach((row) => row.paint(shown[row.name])))
    omissions.forEach((row, index) => row.paint(here[index]))
    write(beyond, line)
    beyond.hidden = !line
  }
  model.on("change:data", paint)
  paint()
  return h("section", {class: "sheet", "aria-labelledby": "limits-title"},
    h("h1", {id: "limits-title"}, "What this model assumes"),
    h("p", {class: "doc"}, "A step takes as long as its slowest part at the printed rates. Each convention below is a knob; switch one and every page follows."),
    beyond,
    h("h2", {id: "conventions"}, "Conventions"),
    h("table", {class: "conventions", "aria-labelledby": "conventions"},
      head(["Convention", "Present choice", "What another choice changes here", "The book's choice"]),
      rows.map(({title, rows: each}) => h("tbody", {}, h("tr", {class: "group"}, h("th", {scope: "rowgroup", colspan: "4"}, title)), each.map(({element}) => element)))),
    h("h2", {id: "omissions"}, "Left out", h("small", {}, "and which way the shown times and costs err")),
    h("table", {class: "omissions", "aria-labelledby": "omissions"}, head(["What", "The page is", "Why, and what it comes to here"]),
      h("tbody", {}, omissions.map(({element}) => element))),
    h("h2", {id: "standings"}, "What each shown value is"),
    h("dl", {class: "standings"}, model.spec.standings.map((each) => standing(each, send))))
}
