// Tiles and the sentence below them. The buttons are made once; later paints change text only.

function tile(of, send) {
  const label = h("span"), bound = h("small", {class: "bound"}, "lower bound")
  const number = h("span", {class: "number"}), unit = h("span", {class: "unit"}), below = h("span", {class: "below"})
  const element = h("button", {class: "tile", "data-of": of, onclick: () => send({of})},
    h("span", {class: "label"}, label, " ", bound), h("span", {class: "value"}, number, " ", unit), below)
  return {
    element,
    paint(shown, focus) {
      write(label, shown.label)
      bound.hidden = !shown.bound
      write(number, shown.number)
      write(unit, shown.unit)
      write(below, shown.below)
      mark(element, "title", shown.title)
      mark(element, "aria-pressed", String(focus === of))
    },
  }
}

export function render({model}) {
  const tiles = new Map(model.data.tiles.map(({of}) => [of, tile(of, (message) => model.send_msg(message))]))
  const strip = h("div", {class: "strip", role: "group", "aria-label": "Headline values", style: `--tiles: ${model.spec.shares.map((share) => `minmax(0, ${share}fr)`).join(" ")}`},
    [...tiles.values()].map(({element}) => element))
  const first = h("strong"), after = h("span"), sentence = h("p", {class: "sentence"}, first, after)
  const paint = () => {
    const {tiles: shown, focus, sentence: words} = model.data
    const [state, ...rest] = words.split(/(?<=\.) /)
    for (const each of shown) tiles.get(each.of).paint(each, focus)
    write(first, state)
    write(after, rest.length ? ` ${rest.join(" ")}` : "")
  }
  model.on("change:data", paint)
  paint()
  return h("section", {"aria-label": "Values"}, strip, sentence)
}
