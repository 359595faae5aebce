// How a numeric knob is shown, turned and typed: round stops on a log or linear slider, as on the served page.

const PRESET_PULL = 0.006
const NUDGE = 10 ** (1 / 24)
const PREFIXES = {k: 1e3, M: 1e6, G: 1e9, B: 1e9, T: 1e12, P: 1e15, E: 1e18, m: 1e-3, "μ": 1e-6, n: 1e-9}
const SHORT_UNITS = {elements: "", layers: "", heads: "", shards: "", tokens: "tok", sequences: "seqs"}

const shortUnit = (knob) => SHORT_UNITS[knob.unit] ?? knob.unit
const roundEven = (a) => (Math.abs(a % 1) === 0.5 ? 2 * Math.round(a / 2) : Math.round(a))
const stepOf = (knob) => knob.bounds[0] || (knob.integer ? 1 : knob.bounds[1] / 100)
const clamp = (value, low, high) => Math.min(high, Math.max(low, value))
const clipped = (knob, value) => clamp(Number(value.toPrecision(12)), ...knob.bounds)
const logOr = (knob, value) => (knob.scale === "log" ? Math.log10(Math.max(value, knob.bounds[0])) : value)
const octaveOf = (value) => Math.floor(Math.log2(value) + 1e-12)
const quarters = (knob) => (knob.unit === "shards" || knob.unit === "chips" ? [4] : [4, 5, 6, 7])
const wholeStop = (value) => Math.max(1, roundEven(value))
const significant = (value) => Number(exponential(value, 2))

function words(knob, value) {
  if (value == null) return ["", shortUnit(knob)]
  if (knob.integer && value < 1e9) return [whole(value), shortUnit(knob)]
  if (knob.scale === "linear") return [onGrid(knob, value), knob.unit === "1" ? "" : knob.unit]
  const [number, unit] = parts(value, knob.unit)
  return [number, unit.replace("tokens", "tok")]
}

function onGrid(knob, value) {
  const step = stepOf(knob), nearest = roundEven(value / step) * step
  const decimals = general(step).split(".")[1]?.length ?? 0
  const close = Math.abs(nearest - value) <= 1e-9 * Math.max(Math.abs(nearest), Math.abs(value))
  return close ? fixed(value, decimals) : digits(value)
}

/** The whole value with the knob's unit, for a hover. */
function full(knob, value) {
  if (value == null) return MISSING
  const number = Number.isInteger(value) ? whole(value) : String(value)
  return knob.unit === "" || knob.unit === "1" ? number : `${number} ${knob.unit}`
}

function position(knob, value) {
  const [low, high] = knob.bounds.map((bound) => logOr(knob, bound))
  return clamp((logOr(knob, value) - low) / (high - low), 0, 1)
}

function valueAt(knob, place, preset) {
  if (typeof preset === "number" && Math.abs(place - position(knob, preset)) < PRESET_PULL) return preset
  const [low, high] = knob.bounds.map((bound) => logOr(knob, bound))
  const raw = low + clamp(place, 0, 1) * (high - low)
  return clipped(knob, rounded(knob, knob.scale === "log" ? 10 ** raw : raw))
}

function stopsAround(knob, octaves) {
  return octaves.flatMap((octave) => quarters(knob).map((k) => wholeStop(k * 2 ** (octave - 2))))
}

function rounded(knob, value) {
  if (knob.scale === "linear") return roundEven(value / stepOf(knob)) * stepOf(knob)
  if (!knob.integer) return significant(value)
  const octave = octaveOf(value), gap = (stop) => Math.abs(Math.log(stop / value))
  return stopsAround(knob, [octave, octave + 1]).reduce((best, stop) => (gap(stop) < gap(best) ? stop : best))
}

function nudged(knob, value, steps) {
  const way = Math.sign(steps)
  for (let left = Math.abs(steps); left > 0; left--) value = clipped(knob, nextStop(knob, value, way))
  return value
}

function nextStop(knob, value, way) {
  if (knob.scale === "linear") return roundEven(value / stepOf(knob) + way) * stepOf(knob)
  if (!knob.integer) return significant(value * NUDGE ** way)
  const octave = octaveOf(value)
  const beyond = stopsAround(knob, [-1, 0, 1, 2].map((more) => octave + more)).filter((stop) => (stop - value) * way > 0)
  return beyond.length ? (way > 0 ? Math.min(...beyond) : Math.max(...beyond)) : value
}

/** What typed text stands for: a plain number counts in the unit beside it. */
function typed(knob, text, unit) {
  let entry = text.trim().replace(/^\$/, "")
  if (/^[\d.,_]+$/.test(entry)) return times(knob, entry, PREFIXES[beforeUnit(unit, knob.unit)] ?? 1, text)
  if (knob.unit !== "" && knob.unit !== "1" && entry.endsWith(knob.unit)) entry = entry.slice(0, -knob.unit.length).trim()
  const last = entry.at(-1)
  if (knob.unit === "s" && last && "mμun".includes(last)) return times(knob, entry.slice(0, -1), PREFIXES[last === "u" ? "μ" : last], text)
  return entry
}

function beforeUnit(unit, name) {
  const rest = unit.endsWith(name) ? unit.slice(0, unit.length - name.length) : unit
  return rest.replace(/tok$/, "").trim()
}

function times(knob, number, factor, text) {
  const value = Number(number.replace(/[,_]/g, "") || NaN) * factor
  if (Number.isNaN(value)) return text
  return value >= knob.bounds[0] && value <= knob.bounds[1] ? Number(value.toPrecision(15)) : text
}
