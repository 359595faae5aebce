export function render({model}) {
  const caption = h("div", {class: "caption"})
  const paint = () => {
    const lines = model.data.lines ?? []
    while (caption.childElementCount > lines.length) caption.lastElementChild.remove()
    while (caption.childElementCount < lines.length) caption.append(h("p"))
    lines.forEach((line, index) => write(caption.children[index], line))
  }
  model.on("change:data", paint)
  paint()
  return caption
}
