// The pieces of a lab: its knobs and its question, what binds in words, and its numbers beside the book's.

const KEYS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 6, PageDown: -6}
const SLIDER = 1000

function select(label, options, chosen, changed) {
  const list = h("select", {"aria-label": label, onchange: () => changed(list.value)}, options.map(([value, text]) => h("option", {value}, text)))
  list.value = chosen
  return h("label", {class: "pick"}, h("span", {}, label), list, icon("M4 6l4 4 4-4", 12))
}

function slider(turn, send) {
  const rail = h("input", {type: "range", min: 0, max: SLIDER, step: 1, "aria-label": turn.label,
    oninput: () => send("turn", {name: turn.name, place: rail.value / SLIDER}),
    onkeydown: (event) => {
      if (!(event.key in KEYS)) return
      event.preventDefault()
      send("nudge", {name: turn.name, steps: KEYS[event.key]})
    }})
  const number = h("strong", {}), unit = h("span", {class: "unit"}), tick = h("span", {class: "flip", hidden: true}, h("span", {}))
  const element = h("div", {class: "turn", "data-knob": turn.name, title: turn.doc},
    h("div", {class: "names"}, h("span", {}, `${turn.label} `, symbol(turn.symbol)), h("span", {}, number, unit)),
    h("div", {class: "rail"}, rail, tick))
  const paint = (now, flip, words) => {
    write(number, now.number)
    write(unit, now.unit ? ` ${now.unit}` : "")
    if (Math.abs(rail.value / SLIDER - now.place) > 0.5 / SLIDER) rail.value = Math.round(now.place * SLIDER)
    mark(rail, "aria-valuetext", `${now.number} ${now.unit}`)
    tick.hidden = flip == null || flip < 0 || flip > 1
    if (flip != null) {
      tick.style.left = `calc(7px + ${flip} * (100% - 14px))`
      tick.dataset.edge = flip > 0.75 ? "right" : flip < 0.25 ? "left" : ""
      write(tick.firstChild, words)
    }
  }
  return {element, paint}
}

function choice(turn, send) {
  const buttons = turn.options.map((word) => h("button", {type: "button", onclick: () => send("choose", {name: turn.name, word})}, word))
  const element = h("div", {class: "turn", "data-knob": turn.name}, h("div", {class: "names"}, h("span", {}, `${turn.label} `, symbol(turn.symbol))),
    h("div", {class: "choice", role: "group", "aria-label": turn.label}, buttons))
  const paint = (now) => buttons.forEach((button) => mark(button, "aria-pressed", String(button.textContent === now.chosen)))
  return {element, paint}
}

function side(model, send) {
  const root = h("div", {class: "side"})
  let shape = "", rows = [], verdict, tries, field, picks
  const build = ({slug, count, chapter, turns, ask, unit}) => {
    rows = turns.map((turn) => (turn.options ? choice : slider)(turn, send))
    picks = h("div", {class: "picks"})
    verdict = h("p", {class: "verdict", role: "status"})
    tries = h("div", {})
    field = h("input", {type: "text", id: "guess", autocomplete: "off", spellcheck: "false", placeholder: unit || "a number"})
    root.replaceChildren(
      h("button", {type: "button", class: "link", onclick: () => send("open", {part: chapter.slug})}, `← ${chapter.title}`),
      h("p", {class: "count"}, count), picks, ...rows.map(({element}) => element),
      h("button", {type: "button", class: "link", onclick: () => send("restart")}, "Back to the lab's start"),
      h("h2", {}, "Predict before you look"), h("p", {}, ask),
      h("form", {onsubmit: (event) => { event.preventDefault(); send("guess", {text: field.value}) }},
        h("label", {class: "unseen", for: "guess"}, "Your guess"), field, h("button", {class: "plain"}, "Predict"),
        h("button", {type: "button", class: "link", onclick: () => send("look")}, "Look")),
      verdict, tries)
    root.dataset.lab = slug
  }
  const paint = () => {
    const data = model.data
    if (!data.slug) return
    const now = JSON.stringify([data.slug, data.turns.map(({name, options}) => [name, options])])
    if (now !== shape) { shape = now; build(data) }
    picks.replaceChildren(...data.picks.map(({of, label, options, chosen}) => select(label, options, chosen, (slug) => send("pick", {of, slug}))))
    rows.forEach(({paint: show}, index) => show(data.turns[index], index ? null : data.flip, data.flipWords))
    write(verdict, data.verdict)
    if (tries.childElementCount !== (data.tries.length ? 2 : 0)) {
      tries.replaceChildren(...(data.tries.length ? [h("h2", {}, "Now try"), h("ul", {}, data.tries.map((each) => h("li", {}, each)))] : []))
    }
  }
  return {root, paint}
}

function head(model) {
  const title = h("h1", {}), aim = h("p", {class: "muted"}), flipped = h("strong", {}), words = h("span", {})
  const reason = h("p", {class: "muted reason"})
  const said = h("p", {class: "announce", "aria-live": "polite"}, flipped, words)
  const paint = () => {
    if (!model.data.title) return
    write(title, model.data.title)
    write(aim, model.data.aim)
    if (words.textContent !== model.data.sentence || model.data.flipped) {
      write(flipped, model.data.flipped ? "The bound flipped. " : "")
      write(words, model.data.sentence)
    }
    mark(said, "data-flipped", model.data.flipped)
    write(reason, model.data.reason)
  }
  return {root: h("div", {class: "head"}, title, aim, said, reason), paint}
}

function facts(model, send) {
  const root = h("div", {class: "facts"})
  const paint = () => {
    const {tiles, references, next, home} = model.data
    if (!tiles) return
    root.replaceChildren(h("h2", {}, "At this point"),
      h("dl", {class: "tiles"}, tiles.map(({of, label, number, unit, below}) => h("div", {"data-of": of}, h("dt", {}, label),
        h("dd", {}, h("strong", {}, number), unit ? ` ${unit}` : ""), below ? h("dd", {class: "below"}, below) : null))),
      h("h2", {}, "Beside the book"),
      h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "At the book's point"), h("th", {scope: "col"}, "book"), h("th", {scope: "col"}, "graph"))),
        h("tbody", {}, references.map(({text, book, here, full, verdict}) => h("tr", {title: verdict}, h("th", {scope: "row"}, text), h("td", {}, book), h("td", {title: full}, h("strong", {}, here)))))),
      h("p", {class: "ways"}, h("button", {type: "button", class: "main", onclick: () => send("carry")}, `Open in ${home}`),
        h("button", {type: "button", class: "plain", onclick: () => send("open", {part: next})}, "Next lab")))
  }
  return {root, paint}
}

export function render({model}) {
  const send = (kind, more) => model.send_msg({kind, ...more})
  const {root, paint} = {side, head, facts}[model.spec.kind](model, send)
  model.on("change:data", paint)
  paint()
  return root
}
