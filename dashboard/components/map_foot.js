const MOVES = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}

export function render({model}) {
  const {title, across, up} = model.spec
  const named = (way, [name, sign], kind) => h("span", {class: kind, "aria-hidden": "true"}, `${way}: ${name} `, symbol(sign))
  const foot = h(
    "div",
    {class: "foot", tabindex: "0", role: "application", "aria-roledescription": "map"},
    named("Up", up, "up"),
    h("span", {class: "keys", "aria-hidden": "true"}, "Arrow keys move the ring"),
    named("Across", across, "across"),
  )
  foot.addEventListener("keydown", (event) => {
    const move = MOVES[event.key]
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    model.send_msg({right: move[0], up: move[1]})
  })
  const paint = () => mark(foot, "aria-label", `${model.data.sentence ?? title} Arrow keys move the ring.`)
  model.on("change:data", paint)
  paint()
  return foot
}
