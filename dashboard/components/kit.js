// What every piece uses: building elements, symbols, and changing text only where it differs.

/** Build an element: h("button", {class: "tile", onclick: f, "aria-pressed": "true"}, "text", child, ...). */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, "")
    else if (value !== false && value != null) element.setAttribute(name, value)
  }
  element.append(...children.flat().filter((child) => child != null))
  return element
}

const GREEK = {alpha: "α", beta: "β", eta: "η"}

/** A book symbol as HTML: `T_comms` is an italic T with a roman subscript; a ratio is set factor by factor. */
function symbol(text) {
  const whole = h("span", {class: "symbol"})
  text.split(/([/ ])/).forEach((factor) => {
    if (factor === "/" || factor === " ") return whole.append(factor)
    const at = factor.indexOf("_")
    const [letters, subscript] = at < 0 ? [factor, ""] : [factor.slice(0, at), factor.slice(at + 1)]
    const letter = GREEK[letters] ?? letters
    whole.append(h(letter.length === 1 && letter !== "$" ? "i" : "span", {}, letter))
    if (subscript) whole.append(h("sub", {}, subscript))
  })
  return whole
}

/** Set an element's text, touching the page only where it differs. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/** Set or remove an attribute. */
function mark(element, name, value) {
  if (value === false || value == null) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? "" : value)
}

const SVG = "http://www.w3.org/2000/svg"

/** A line icon on a 16 px grid. */
function icon(path, size = 16) {
  const drawing = document.createElementNS(SVG, "svg")
  for (const [name, value] of Object.entries({viewBox: "0 0 16 16", width: size, height: size, class: "icon", "aria-hidden": "true"})) {
    drawing.setAttribute(name, value)
  }
  const stroke = document.createElementNS(SVG, "path")
  stroke.setAttribute("d", path)
  drawing.append(stroke)
  return drawing
}
