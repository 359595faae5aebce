// The notice: an empty live region that fills when there is something to say.

export function render({model}) {
  const line = h("span", {class: "line"})
  const close = h("button", {class: "close", "aria-label": "Dismiss", onclick: () => model.send_msg({})}, icon("M4 4l8 8M12 4l-8 8"))
  const box = h("div", {class: "box", hidden: true}, line, close)
  const paint = () => {
    write(line, model.data.line)
    box.hidden = !model.data.line
  }
  model.on("change:data", paint)
  paint()
  return h("div", {role: "status", "aria-live": "polite"}, box)
}
