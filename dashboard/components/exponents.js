// Rows of a name, a lane with the interval and the value in it, and the number. What leaves the scale ends at its edge.

export function render({model}) {
  const {title, remark, low, high, ticks} = model.spec
  const place = (value) => 100 * (Math.min(Math.max(value, low), high) - low) / (high - low)
  const list = h("div", {class: "groups"})

  function lane({value, lo, hi}) {
    const inside = []
    if (lo != null && hi != null) inside.push(h("span", {class: "interval", style: `left: ${place(lo).toFixed(2)}%; width: ${(place(hi) - place(lo)).toFixed(2)}%`}))
    const out = value < low || value > high
    inside.push(h("span", {class: out ? "dot out" : "dot", style: `left: ${place(value).toFixed(2)}%`}))
    return h("span", {class: "lane", "aria-hidden": "true"}, inside)
  }

  function row(item) {
    const head = h("span", {class: "label", title: item.label}, item.label)
    if (item.value == null) return h("li", {class: "none"}, head, h("span", {class: "note"}, item.note))
    return h("li", {title: item.full}, head, lane(item), h("span", {class: "number"}, item.text), h("span", {class: "range"}, item.range))
  }

  const axis = h("div", {class: "axis", "aria-hidden": "true"}, h("span"), h("span", {class: "scale"}, ticks.map((tick) => h("span", {style: `left: ${place(tick)}%`}, String(tick)))))
  const paint = () => list.replaceChildren(...(model.data.groups ?? []).map(({title: name, rows}) =>
    h("div", {class: "group"}, h("h3", {}, name), h("ul", {"aria-label": name}, rows.map(row)))))
  model.on("change:data", paint)
  paint()
  list.style.setProperty("--ticks", ticks.map((tick) => `linear-gradient(var(--line) 0 0) ${place(tick)}% 0 / 1px 100% no-repeat`).join(", "))
  return h("section", {"aria-label": title}, h("h2", {}, title, h("small", {}, remark)), axis, list)
}
