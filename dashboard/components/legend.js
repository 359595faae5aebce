export function render({model}) {
  const list = h("ul", {"aria-label": "Shades"})
  const paint = () => list.replaceChildren(...(model.data.entries ?? []).map(([token, words]) =>
    h("li", {}, h("span", {class: "shade", style: `background: var(--${token})`}), words)))
  model.on("change:data", paint)
  paint()
  return list
}
