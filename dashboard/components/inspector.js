// The inspector: a short form on the page and the full one in a drawer, painted from the same data.

const CROSS = "M4 4l8 8M12 4l-8 8", WAIT = "…", MOST_REACHES = 8, SPAN = 2.2

/** Leave the drawer, if it is open, and go to a knob. */
function toKnob(dialog, name) {
  if (dialog.open) dialog.close()
  document.dispatchEvent(new CustomEvent("scalegrad:knob", {detail: name}))
}

/** A formula whose names are buttons. Its HTML is made by the server from the graph alone. */
function formulaBox(kind, go) {
  const box = h("div", {class: kind})
  let shown = ""
  const chosen = (event) => {
    const name = event.target.closest(".name")?.dataset.name
    if (name && (event.type === "click" || event.key === "Enter" || event.key === " ")) {
      event.preventDefault()
      go(name)
    }
  }
  box.addEventListener("click", chosen)
  box.addEventListener("keydown", chosen)
  return {
    element: box,
    paint(markup, labels) {
      if (markup === shown) return
      shown = markup
      box.innerHTML = markup
      for (const name of box.querySelectorAll(".name")) {
        mark(name, "role", "button")
        mark(name, "tabindex", "0")
        mark(name, "title", labels.get(name.dataset.name) ?? name.dataset.name)
      }
    },
  }
}

function trailOf(trail, send) {
  return trail.length < 2 ? [] : trail.flatMap((label, at) => at === trail.length - 1
    ? [h("span", {"aria-current": "true"}, label)]
    : [h("button", {class: "crumb", onclick: () => send({kind: "back", at})}, label), h("span", {class: "sep", "aria-hidden": "true"}, "›")])
}

function bookLink({words, address}) {
  return words ? h("a", {href: address, target: "_blank", rel: "noopener"}, words) : ""
}

function knobName(knob, dialog) {
  return h("button", {class: "lead", title: `Go to ${knob.label}`, onclick: () => toKnob(dialog, knob.name)}, `${knob.label} `, symbol(knob.symbol))
}

/** Words with the symbols among them, as in "at B_d = 5.49", set as such; names such as `n_experts=1` stay. */
function phrase(words) {
  const found = /^(.* at )([^ _]+)( = .*)$/.exec(words)
  if (found) return [found[1], symbol(found[2]), found[3]]
  return words.split(/(?<!\w)([A-Za-z]{1,2}_[\w,]+)(?![\w=])/).map((part, at) => (at % 2 ? symbol(part) : part))
}

function symbols(knobs) {
  return knobs.flatMap((knob, at) => [at === 0 ? "" : at === knobs.length - 1 ? " or " : ", ", symbol(knob.symbol)])
}

/** "+10 % of C saves 4.05 days and $3.66 M; of W_ici, nothing." */
function worthLine({brief, nothing}) {
  const clauses = brief.slice(0, 2).flatMap(({knobs, words}, at) => {
    const [verb, ...rest] = words.split(" ")
    return [at ? "; of " : "+10 % of ", ...symbols(knobs), ` ${verb} `, h("strong", {}, rest.join(" "))]
  })
  const none = nothing.slice(0, 3)
  if (none.length) clauses.push(clauses.length ? "; of " : "+10 % of ", ...symbols(none), clauses.length ? ", nothing" : " is worth nothing")
  return clauses.length ? [...clauses, "."] : ["No hardware knob enters."]
}

function shortForm(send, go, dialog) {
  const title = h("h2"), standing = h("small"), book = h("span", {class: "book"})
  const more = h("button", {class: "more", "aria-haspopup": "dialog", onclick: () => { dialog.showModal(); send({kind: "open"}) }}, "More")
  const trail = h("nav", {class: "trail", "aria-label": "Way down the graph"})
  const symbolic = formulaBox("formula", go), numeric = formulaBox("numbers", go)
  const rows = h("ul", {class: "nearest", "aria-label": "Until something else binds"}), worth = h("p", {class: "worth"})
  const found = h("div", {class: "found"}, h("p", {class: "lead-in"}, "Until something else binds"), rows, worth)
  const element = h("section", {class: "short", "aria-label": "Inspector"},
    h("div", {class: "head"}, h("div", {class: "title"}, title), book, more), trail, symbolic.element, numeric.element, found)
  let names = []
  return {
    element,
    paint(data, labels) {
      write(standing, data.standing === "exact" ? "in focus" : `in focus, ${data.standing}`)
      title.replaceChildren(data.label, standing)
      book.replaceChildren(bookLink(data.book))
      trail.replaceChildren(...trailOf(data.trail, send))
      trail.hidden = data.trail.length < 2
      symbolic.paint(data.formula, labels)
      numeric.paint(data.numbers || `${data.reason}.`, labels)
      const ready = Boolean(data.found.nearest)
      mark(found, "aria-busy", ready ? false : "true")
      if (ready) names = data.found.nearest
      rows.replaceChildren(...names.map((reach) => h("li", {"data-knob": reach.name}, knobName(reach, dialog),
        h("span", {class: "move"}, ready ? reach.move : WAIT), h("span", {class: "words", title: reach.words}, ready ? phrase(reach.words) : ""))))
      if (!names.length) rows.replaceChildren(h("li", {class: "none"}, ready ? "Nothing changes over the range of any knob." : WAIT))
      worth.replaceChildren(...(ready ? worthLine(data.found.worth) : [WAIT]))
    },
  }
}

/** Where a move lies across the lane, in percent: now in the middle, ÷ 160 and × 160 at the edges. */
const place = (at) => 50 + 50 * Math.max(-1, Math.min(1, at / SPAN))

function reachRow(reach, dialog) {
  const ends = [["down", -1], ["up", 1]].map(([side, sign]) => {
    const end = reach[side]
    if (!end) return {at: 50 + sign * 50}
    const inside = end.at != null && Math.abs(end.at) < SPAN
    const at = inside ? place(end.at) : end.at === 0 ? 50 : 50 + sign * 50
    const text = h("span", {class: `end ${side} ${Math.abs(at - 50) > 34 ? "inner" : ""}`, style: `--at: ${at.toFixed(2)}%`, title: `${end.move} ${end.words}`},
      end.move ? h("strong", {}, end.move) : "", " ", phrase(end.words))
    return {at, tick: inside, text: end.kind !== "knob ends" || inside ? text : ""}
  })
  const [down, up] = ends
  const tick = (end) => end.tick ? h("span", {class: "tick", style: `left: ${end.at.toFixed(2)}%`}) : ""
  return h("li", {"data-knob": reach.name}, knobName(reach, dialog), h("div", {class: "lane"},
    h("span", {class: "free", style: `left: ${down.at.toFixed(2)}%; right: ${(100 - up.at).toFixed(2)}%`}), tick(down), tick(up), h("span", {class: "now"}),
    down.text ?? "", up.text ?? ""))
}

function fullForm(send, go) {
  const close = h("button", {class: "close", "aria-label": "Close", onclick: () => dialog.close()}, icon(CROSS))
  const title = h("h2", {tabindex: "-1"}), value = h("span", {class: "value"}), full = h("span", {class: "full"})
  const trail = h("nav", {class: "trail", "aria-label": "Way down the graph"}), doc = h("p", {class: "doc"})
  const symbolic = formulaBox("formula", go), numeric = formulaBox("numbers", go), book = h("span", {class: "book"})
  const sentence = h("p", {class: "sentence"}), maxima = h("div"), sides = h("div", {class: "sides"})
  const inputs = h("ul", {class: "inputs", "aria-label": "Inputs"})
  const reaches = h("ul", {class: "reaches"}), further = h("ul", {class: "reaches"}), unmoved = h("p", {class: "quiet"})
  const rest = h("details", {}, h("summary", {}, "Further knobs"), further)
  const worth = h("div", {class: "table"}), zeros = h("ul", {class: "zeros"}), zeroed = h("section", {}, h("h3", {}, "Exactly zero here"), zeros)
  const axis = h("div", {class: "axis", "aria-hidden": "true"}, h("span"), h("div", {class: "lane"},
    [-2, -1, 0, 1, 2].map((at) => h("span", {style: `left: ${place(at)}%`}, at ? `${at < 0 ? "÷" : "×"} ${10 ** Math.abs(at)}` : "now"))))
  const dialog = h("dialog", {class: "full", "aria-label": "Inspector", onclose: () => send({kind: "close"})},
    h("div", {class: "bar"}, trail, close),
    h("header", {}, h("div", {}, title, doc), h("div", {class: "figure"}, value, full)),
    h("section", {}, symbolic.element, h("div", {class: "below"}, numeric.element, book)),
    h("section", {class: "pair"}, h("div", {}, h("h3", {}, "What binds"), sentence, maxima, sides), h("div", {}, h("h3", {}, "Inputs"), inputs)),
    h("section", {class: "reach"}, h("h3", {}, "How far each knob can move before something else binds ", h("small", {}, "others held")), axis, reaches, rest, unmoved),
    h("section", {}, h("h3", {}, "What +10 % is worth ", h("small", {}, "at this point, the other knobs held")), worth), zeroed)
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close() })

  function paintBinding(data) {
    const [state, ...more] = (data.sentence ?? "").split(/(?<=\.) /)
    sentence.replaceChildren(h("strong", {}, state), more.length ? ` ${more.join(" ")}` : "")
    maxima.replaceChildren(...(data.maxima ?? []).map((maximum) => h("div", {class: "maximum"},
      data.maxima.length > 1 ? h("p", {class: "quiet"}, maximum.label) : "",
      maximum.branches.map((branch) => h("button", {class: "branch", "data-of": branch.of, title: `Look at ${branch.label}`, onclick: () => go(branch.of)},
        h("span", {class: "name"}, branch.label),
        h("span", {class: "lane"}, h("span", {class: branch.binds ? "bar binding" : "bar", style: `width: ${(100 * branch.share).toFixed(1)}%`}), h("span", {class: "text"}, branch.text)),
        h("span", {class: branch.binds ? "note binding" : "note"}, branch.note))))))
  }

  function paintInputs(rows) {
    const held = inputs.contains(dialog.getRootNode().activeElement)
    inputs.replaceChildren(...rows.map((input) => h("li", {}, h("button", {class: "input", "data-of": input.of, title: input.knob ? `Go to the knob: ${input.full}` : input.full, onclick: () => go(input.of)},
      symbol(input.symbol), h("span", {class: "name"}, input.label), h("span", {class: "number"}, input.number), h("span", {class: "unit"}, input.unit)))))
    if (held) title.focus()
  }

  function paintFound({reaches: found, unmoved: ends, worth: gains, zeros: none, sides: both}) {
    mark(dialog, "aria-busy", found ? false : "true")
    if (!found) {
      for (const box of [worth, unmoved]) write(box, WAIT)
      return
    }
    reaches.replaceChildren(...found.slice(0, MOST_REACHES).map((reach) => reachRow(reach, dialog)))
    further.replaceChildren(...found.slice(MOST_REACHES).map((reach) => reachRow(reach, dialog)))
    rest.hidden = found.length <= MOST_REACHES
    unmoved.replaceChildren(...(ends.length ? ["Nothing changes over the whole range of ", ...symbols(ends), "."] : []))
    worth.replaceChildren(
      h("div", {class: "row heads"}, h("span", {}, "Hardware knob"), gains.heads.map((head) => h("span", {}, head))),
      ...gains.rows.map((row) => h("div", {class: "row", "data-knob": row.name},
        h("span", {}, knobName(row, dialog), row.note ? h("small", {}, ` ${row.note}`) : ""), row.effects.map(({text, full: exact}) => h("span", {class: text === "nothing" ? "nothing" : "", title: exact}, text)))),
      gains.nothing.length ? h("div", {class: "row nothing"}, h("span", {}, gains.nothing.flatMap((knob, at) => [at ? ", " : "", `${knob.label} `, symbol(knob.symbol)])), gains.heads.map(() => h("span", {}, "nothing"))) : "",
      gains.ended.length ? h("p", {class: "quiet"}, "At its end, no more to have: ", gains.ended.flatMap((knob, at) => [at ? ", " : "", `${knob.label} `, symbol(knob.symbol)]), ".") : "")
    zeroed.hidden = none.length === 0
    zeros.replaceChildren(...none.map((knob) => h("li", {}, knobName(knob, dialog), h("span", {}, phrase(knob.why)))))
    sides.replaceChildren(...(both.length ? [h("p", {class: "quiet"}, "Elasticity just below and just above the tie"),
      ...both.map((knob) => h("p", {class: "side"}, knobName(knob, dialog), h("span", {}, knob.below), h("span", {}, knob.above)))] : []))
  }

  return {
    dialog,
    paint(data, labels) {
      title.replaceChildren(data.label, h("small", {}, data.standing === "exact" ? "in focus" : `in focus, ${data.standing}`))
      trail.replaceChildren(...trailOf(data.trail, send))
      value.replaceChildren(data.number, " ", h("small", {}, data.unit))
      write(full, data.full)
      write(doc, data.doc)
      symbolic.paint(data.formula, labels)
      numeric.paint(data.numbers ? `= ${data.numbers}` : `${data.reason}.`, labels)
      book.replaceChildren(bookLink(data.book))
      paintBinding(data)
      paintInputs(data.inputs)
      paintFound(data.found)
    },
  }
}

export function render({model}) {
  const send = (message) => model.send_msg(message)
  const knobs = new Set()
  const go = (of) => { if (knobs.has(of)) toKnob(full.dialog, of); else send({kind: "look", of}) }
  const full = fullForm(send, go), short = shortForm(send, go, full.dialog)
  const paint = () => {
    const data = model.data
    if (!data.of) return
    knobs.clear()
    for (const input of data.inputs) if (input.knob) knobs.add(input.of)
    const labels = new Map(data.inputs.map((input) => [input.of, `${input.label}: ${input.full}`]))
    short.paint(data, labels)
    if (full.dialog.open) full.paint(data, labels)
  }
  model.on("change:data", paint)
  paint()
  return h("div", {}, short.element, full.dialog)
}
