// Writes columns into the Bokeh figures that HoloViews built: the same sources and columns as on the served page.

const USUAL = {align: "left", dx: 0, dy: 0, style: "normal", size: "12px"}
const NUMBERS = ["x", "y", "dx", "dy"]

function textColumns(texts) {
  const rows = texts.map((text) => ({...USUAL, ...text}))
  return Object.fromEntries(["x", "y", "text", "color", "align", "dx", "dy", "style", "size"].map((name) => {
    const column = rows.map((row) => row[name])
    return [name, NUMBERS.includes(name) ? Float64Array.from(column) : column]
  }))
}

/** The layers of a figure by name. */
function layersOf(figure) {
  return Object.fromEntries(figure.renderers.map((renderer) => [renderer.name, renderer]))
}

function feed(renderer, columns) {
  renderer.data_source.data = columns
}

const xy = (points) => ({x: Float64Array.from(points, ([x]) => x), y: Float64Array.from(points, ([, y]) => y)})

/** Axes in the colours of the reader's theme. */
function restyle(figure, colours) {
  for (const axis of [...figure.below, ...figure.left]) {
    axis.setv({major_tick_line_color: colours.track, major_label_text_color: colours.muted})
  }
}

function paintBars(figure, {bars, lines, texts}, colours, line) {
  const {boxes, lines: hairlines, texts: labels} = layersOf(figure), column = (make) => Float64Array.from(bars, make)
  hairlines.glyph.setv({line_color: line})
  feed(boxes, {
    left: column(({left}) => left), right: column(({right}) => right),
    top: column(({middle, half}) => middle - half), bottom: column(({middle, half}) => middle + half),
    color: bars.map(({colour}) => colour),
  })
  feed(hairlines, {xs: lines.map(([x0, , x1]) => [x0, x1]), ys: lines.map(([, y0, , y1]) => [y0, y1])})
  feed(labels, textColumns(barTexts({bars, texts}, figure.inner_width || 428)))
}

/** A region's outline, its corners on the window's edge moved out, so that no line of cells shows beside it. */
function beyond({xs, ys}, {left, right, bottom, top}) {
  const out = (value, low, high) => (value <= low ? value - 1 : value >= high ? value + 1 : value)
  return [xs.map((x) => out(x, left, right)), ys.map((y) => out(y, bottom, top))]
}

function paintMap(figure, drawn, here, colours) {
  const layers = layersOf(figure), {left, right, bottom, top} = drawn.window, width = figure.inner_width || 563
  restyle(figure, colours)
  layers.hatch.glyph.setv({fill_color: colours["hatch-ground"], hatch_color: colours["hatch-line"]})
  figure.x_range.setv({start: left, end: right})
  figure.y_range.setv({start: bottom, end: top})
  tick(figure.below[0], left, right - 0.3, width > 420 ? 2 : 4)
  tick(figure.left[0], bottom, top, 1)
  const cells = layers.cells, source = cells.data_source, image = source.data.image[0]
  image.set(drawn.shade.flat())
  cells.glyph.color_mapper.setv({high: drawn.highest})
  feed(cells, {...source.data, image: [image], x: [left], y: [bottom], dw: [right - left], dh: [top - bottom]})
  const corners = drawn.forbidden.map((region) => beyond(region, drawn.window))
  feed(layers.hatch, {xs: corners.map(([xs]) => [[xs]]), ys: corners.map(([, ys]) => [[ys]])})
  feed(layers.borders, {xs: drawn.borders.map((ends) => ends.map(([x]) => x)), ys: drawn.borders.map((ends) => ends.map(([, y]) => y))})
  feed(layers.exact, {xs: [], ys: []})
  feed(layers.ring, xy([drawn.ring]))
  feed(layers.marks, xy(drawn.marks.map(({x, y}) => [x, y])))
  const frame = [width, figure.inner_height || 298]
  feed(layers.texts, textColumns(mapTexts(drawn, here, colours, cells.glyph.color_mapper.palette, frame)))
}

function tick(axis, low, high, every) {
  const ticks = []
  for (let power = Math.ceil(low / every) * every; power <= high; power += every) ticks.push(power)
  axis.ticker.setv({ticks})
}
