// The page: one state, written by knobs, tiles, maps, keys and links; every view is painted from each new state.

const dark = matchMedia("(prefers-color-scheme: dark)"), printing = matchMedia("print")
const painters = [], past = [], future = []
let state, stroke = false, answered = 0, fault = null, settling
const windows = {}, focuses = {}

const theme = () => (dark.matches && !printing.matches ? "dark" : "light")
const element = (id) => document.getElementById(id)

/** Put an HTML piece of the served page into a place: data down, messages up. Returns its painter. */
function mount(kind, place, spec, data, hear) {
  const listeners = [], model = {spec, data, on: (_, listener) => listeners.push(listener), send_msg: hear}
  const root = place.attachShadow({mode: "open"})
  root.append(h("style", {}, `${styles.kit}\n${styles[kind]}`), pieces[kind]({model}))
  return (next) => {
    model.data = next
    listeners.forEach((listener) => listener())
  }
}

function stateAt(point, page, focus) {
  const evaluation = evaluate(point)
  return {point, page, focus, evaluation, gradient: gradientOf(evaluation, page, focus)}
}

/** Publish a new state and paint it. */
function publish(point, page, focus) {
  focuses[page] = focus
  state = stateAt(point, page, focus)
  window.scalegrad = state
  paint()
}

function paint() {
  document.documentElement.dataset.theme = theme()
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.dataset.page !== state.page
  for (const painter of painters) painter(state)
  clearTimeout(settling)
  settling = setTimeout(writeAddress, 300)
}

function writeAddress() {
  const query = writeQuery(state.point, state.page, state.focus)
  if (query !== location.hash.slice(1)) history.replaceState(null, "", query ? `#${query}` : "#")
}

function say(line) {
  element("notice").textContent = line
}

/** Move to the point that `find` gives; what it refuses becomes the notice and changes nothing. */
function move(find, continues = false) {
  let point
  try {
    point = find()
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    say(error.message)
    return error.message
  }
  stroke &&= continues
  say("")
  if (writeQuery(point, "training", "") !== writeQuery(state.point, "training", "")) {
    if (!stroke) past.push(state.point)
    stroke = true
    future.length = 0
    publish(point, state.page, state.focus)
  }
  return ""
}

function travel(from, to) {
  if (!from.length) return
  to.push(state.point)
  publish(from.pop(), state.page, state.focus)
}

function open(page) {
  publish(state.point, page, focuses[page] ?? facts.pages[page].focus)
}

function hearKnob({kind, name, serial, text, unit, place, steps, continues}) {
  answered = serial
  const knob = facts.knobs[name], {point} = state, value = point.values[name], before = state
  const write = (entry) => move(() => withSettings(point, {[name]: entry}), continues)
  let notice = "", line = ""
  if (kind === "pick") line = move(() => { const found = picked(point, {[name]: text}); notice = found.notice; return found.point })
  else if (kind === "reset") line = move(() => resolve(point.chip, point.model, without(changesOf(point), name)))
  else if (kind === "type") line = write(knob && knob.kind !== "choice" ? typed(knob, text, unit) : text)
  else if (kind === "slide") line = write(valueAt(knob, place, presetOf(point)[name]))
  else if (typeof value === "number") line = write(nudged(knob, value, steps))
  if (notice) say(notice)
  fault = line ? {name, text: text ?? "", line} : null
  if (state === before || fault) paint()
}

function mapView(page, figure) {
  const {spec} = facts.pages[page].map
  const head = mount("plot_head", element(`${page}-map-head`), spec.head, {}, () => {})
  const foot = mount("map_foot", element(`${page}-map-foot`), spec.foot, {}, ({right, up}) =>
    move(() => withSettings(state.point, stepped(state, right, up))))
  figure.on_event("tap", ({x, y}) => {
    const {left, right, bottom, top} = windows[page]
    if (x < left || x > right || y < bottom || y > top) return
    move(() => withSettings(state.point, placed(state, x, y)))
  })
  return (shown) => {
    const drawn = mapOf(shown, windows[page]), told = PLANES[page].told(shown.evaluation), colours = facts.colours[theme()]
    windows[page] = drawn.window
    paintMap(figure, drawn, told.here, colours)
    head({remark: told.remark, highest: `${digits(100 * drawn.highest)}${THIN}%`})
    foot({sentence: `${spec.head.title}. ${PLANES[page].spot(shown.evaluation)}: ${told.reason || told.here}.`})
  }
}

function barView(page, kind, title, figure, columns, line) {
  const head = mount("plot_head", element(`${page}-${kind}-head`), {title}, {}, () => {})
  const caption = mount("caption", element(`${page}-${kind}-caption`), {}, {}, () => {})
  let bars = []
  figure.on_event("tap", ({x, y}) => {
    const hit = bars.find(({left, right, middle, half}) => left <= x && x <= right && Math.abs(y - middle) <= half)
    if (hit && facts.pages[page].headlines.includes(hit.quantity)) publish(state.point, page, hit.quantity)
  })
  return (shown) => {
    const colours = facts.colours[theme()], drawn = columns(shown, colours)
    bars = drawn.bars
    paintBars(figure, drawn, colours, colours[line])
    head({remark: drawn.remark})
    caption({lines: drawn.caption})
  }
}

/** Build the pieces of one page that this report has. */
async function build(page) {
  const own = (painter) => painters.push((shown) => { if (shown.page === page) painter(shown) })
  const has = (part) => element(`${page}-${part}`) !== null
  const look = ({of}) => publish(state.point, page, of)
  const opening = stateAt(state.point, page, facts.pages[page].focus)
  if (has("values")) {
    const values = mount("tiles", element(`${page}-values`), facts.pages[page].tiles, tilesData(opening), look)
    own((shown) => values(tilesData(shown)))
  }
  if (has("gradient")) {
    const bars = mount("gradient", element(`${page}-gradient`), {}, gradientData(opening), () => {})
    own((shown) => bars(gradientData(shown)))
  }
  const figures = facts.pages[page].figures
  if (!figures) return
  await Bokeh.embed.embed_items(figures.docs, figures.items)
  const drawn = Object.fromEntries(Bokeh.documents.flatMap((doc) => doc.roots()).map((figure) => [figure.name, figure]))
  const views = {
    heatmap: (figure) => mapView(page, figure),
    time: (figure) => barView(page, "time", "Where the time goes", figure, timeBars, "track"),
    memory: (figure) => barView(page, "memory", "What fills the memory", figure, memoryBars, "text"),
  }
  for (const [kind, view] of Object.entries(views)) {
    const figure = drawn[`${page}-${kind}`]
    if (!figure) continue
    const painter = view(figure)
    own(painter)
    // After Bokeh's layout, in which its views do not take new columns.
    figure.properties.inner_width.change.connect(() => setTimeout(() => { if (state.page === page) painter(state) }))
  }
}

function knobSpec() {
  const rows = Object.entries(facts.knobSpec.knobs).map(([name, row]) =>
    [name, {...facts.knobs[name], options: Object.keys(facts.knobs[name]?.numbers ?? {}), ...row}])
  return {...facts.knobSpec, knobs: Object.fromEntries(rows)}
}

async function start() {
  const place = readQuery(location.hash.slice(1) || location.search.slice(1))
  const first = location.hash.length > 1 || location.search.length > 1 ? place : {...facts.start, faults: []}
  publish(first.point, first.page, first.focus)
  if (element("knobs")) {
    const column = mount("knobs", element("knobs"), knobSpec(), knobsData(state, 0, null), hearKnob)
    painters.push((shown) => column(knobsData(shown, answered, fault)))
  }
  const tabs = [...document.querySelectorAll("nav a")]
  for (const tab of tabs) {
    tab.addEventListener("click", (event) => { event.preventDefault(); open(tab.dataset.page) })
  }
  painters.push(({page}) => tabs.forEach((tab) => mark(tab, "aria-current", tab.dataset.page === page ? "page" : null)))
  for (const [id, from, to] of [["undo", past, future], ["redo", future, past]]) {
    element(id)?.addEventListener("click", () => travel(from, to))
    painters.push(() => { if (element(id)) element(id).disabled = !from.length })
  }
  for (const page of Object.keys(facts.pages)) await build(page)
  for (const media of [dark, printing]) media.addEventListener("change", paint)
  window.addEventListener("hashchange", () => {
    const there = readQuery(location.hash.slice(1))
    publish(there.point, there.page, there.focus)
    say(there.faults.join("; "))
  })
  paint()
  say(first.faults.join("; "))
  document.body.dataset.ready = "yes"
}

start()
