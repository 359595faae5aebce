export function render({model}) {
  const {title, scale} = model.spec
  const remark = h("small")
  const highest = h("span")
  const heading = h("h2", {}, title, remark)
  const head = h("div", {class: "head"}, heading)
  if (scale) {
    const ramp = h("span", {class: "ramp", style: `background: linear-gradient(to right, ${scale.join(", ")})`})
    head.append(h("div", {class: "scale"}, "0", ramp, highest))
  }
  const paint = () => {
    write(remark, model.data.remark ?? "")
    mark(heading, "title", model.data.remark)
    write(highest, model.data.highest ?? "")
  }
  model.on("change:data", paint)
  paint()
  return head
}
