// Two sentences and a button that takes the planner's tiles.

export function render({model}) {
  const why = h("span", {class: "why"}), tiles = h("span"), use = h("button", {class: "use", onclick: () => model.send_msg({kind: "use"})})
  const paint = () => {
    const {why: reason, tiles: words, use: label} = model.data
    write(why, reason)
    write(tiles, words)
    write(use, label)
    use.hidden = !label
  }
  model.on("change:data", paint)
  paint()
  return h("p", {class: "advice", "aria-live": "polite"}, why, " ", tiles, " ", use)
}
