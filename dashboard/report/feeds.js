// What the HTML pieces show: the same data that the served page's views write into the same pieces.

const PERCENT = ["mfu", "hfu", "useful_flops_fraction"]
const MEMORY = {memory_per_chip: "memory_headroom", decode_memory_per_chip: "decode_memory_headroom"}
const MOST_BARS = 12

const knobIn = (name, unit, before = "") => ({point}) => (point.values[name] == null ? "" : before + show(point.values[name], unit))
const valueIn = (name, tell) => ({evaluation}) => tell(...parts(evaluation.bounds[name], facts.units[name]))
const perChip = (number, unit) => `${number} ${unit.replace(/tokens\/s$/, "").trim()} per chip`
const price = ({point}) => (point.values.price_per_chip_hour == null ? "" : `$${digits(point.values.price_per_chip_hour)} per chip-hour`)
const always = (text) => () => text
function room(name) {
  return ({evaluation}) => {
    const free = evaluation.bounds[name]
    return Number.isNaN(free) ? "capacity not printed" : `${show(Math.abs(free), "B")} ${free < 0 ? "too much" : "free"}`
  }
}

/** The line below each tile. */
const BELOW = {
  step_time: knobIn("batch_tokens", "tokens"),
  mfu: knobIn("peak_flops", "FLOP/s", "of "),
  tokens_per_second: valueIn("train_tokens_per_second_per_chip", perChip),
  train_days: knobIn("train_tokens", "tokens"),
  train_cost: price,
  memory_per_chip: room("memory_headroom"),
  decode_step_time: always("one token a sequence"),
  decode_tokens_per_second: valueIn("tokens_per_second_per_chip", perChip),
  cost_per_mtok: price,
  useful_flops_fraction: always("of the step"),
  prefill_time: valueIn("prefill_tokens", (number, unit) => `${number} ${unit}`),
  decode_memory_per_chip: room("decode_memory_headroom"),
  step_critical_batch: always("compute-bound above"),
}

function numberAndUnit(of, {evaluation, point}) {
  const value = evaluation.values[of], unit = facts.units[of]
  if (Number.isNaN(value)) return parts(null, unit)
  if (PERCENT.includes(of)) return [digits(100 * value), "%"]
  if (unit === "$/Mtok") return [`$${digits(value)}`, "per M tok"]
  const [number, name] = parts(value, unit)
  const capacity = of in MEMORY ? point.values.hbm_capacity : null
  if (capacity == null) return [number, name]
  const [most, mostName] = parts(capacity, "B")
  return [number, name === mostName ? `of ${most} ${mostName}` : `${name} of ${most} ${mostName}`]
}

function tilesData(state) {
  const {evaluation, page, focus} = state
  const tiles = facts.pages[page].headlines.map((of, index) => {
    const reason = evaluation.reasons[of] ?? "", [number, unit] = numberAndUnit(of, state), {label, bound} = facts.quantities[of]
    return {
      of, number, unit, bound,
      label: facts.pages[page].labels[index],
      below: reason ? reason.split(";")[0].split(":")[0] : BELOW[of](state),
      title: `${label}: ${reason || `${evaluation.values[of]} ${facts.units[of]}`}`,
    }
  })
  return {tiles, focus, sentence: bindingSentence(evaluation, page)}
}

function gradientData({gradient, page, focus}) {
  const row = (name) => ({name, label: facts.knobs[name].label, symbol: facts.knobs[name].symbol})
  const found = gradient.elasticities
  const bar = (name) => ({
    ...row(name), e: Number(found[name].toFixed(6)), full: String(found[name]),
    text: minus((found[name] < 0 ? "" : "+") + fixed(found[name], 2)),
  })
  const moving = Object.keys(found).filter((name) => Math.abs(found[name]) > ZERO)
  const ranked = moving.sort((a, b) => Math.abs(found[b]) - Math.abs(found[a]))
  const {label, symbol: letters, inside} = facts.quantities[focus]
  const zeros = Object.keys(found).filter((name) => Math.abs(found[name]) <= ZERO && facts.pages[page].knobs.includes(name))
  return {
    label, symbol: letters, reason: gradient.reason,
    span: Math.max(1, ...ranked.map((name) => Math.abs(found[name]))),
    bars: ranked.slice(0, MOST_BARS).map(bar),
    smaller: ranked.slice(MOST_BARS).map(bar),
    zeros: zeros.sort((a, b) => inside.includes(b) - inside.includes(a))
      .map((name) => ({...row(name), why: inside.includes(name) ? "has no effect at this point" : "does not enter"})),
  }
}

function knobRow(name, value, preset, changed) {
  const knob = facts.knobs[name]
  if (knob.kind === "choice") return {text: value, unit: "", full: value, preset: changed ? preset : null}
  const [text, unit] = words(knob, value)
  const row = {text, unit, full: full(knob, value), place: typeof value === "number" ? position(knob, value) : null, preset: null}
  if (changed) {
    const [before, beforeUnit] = words(knob, preset)
    row.preset = preset == null ? "empty" : beforeUnit === unit ? before : `${before} ${beforeUnit}`
    row.tick = typeof preset === "number" ? position(knob, preset) : null
  }
  return row
}

function knobsData({point, evaluation, page}, answered, fault) {
  const changes = changesOf(point), preset = {...presetOf(point), compute_dtype: facts.defaults.compute_dtype}
  const rows = Object.fromEntries(knobNames.map((name) => [name, knobRow(name, point.values[name], preset[name], name in changes)]))
  for (const [name, value] of Object.entries(typedOf(point))) {
    const text = grouped(general(value, 12))
    rows[name] = {text, unit: "", full: text}
  }
  const remarks = {
    Model: show(evaluation.bounds.total_params, "params").replace("params", "parameters"),
    Conventions: `${point.values.attention_flops}, ${general(point.values.state_bytes_per_param)} B a parameter`,
  }
  const sections = facts.pages[page].sections.map(({title, open, rows: names}) => {
    const changed = names.filter((name) => name in changes).length
    return {title, open, changed, rows: names, remark: changed ? `${changed} changed` : remarks[title] ?? ""}
  })
  const count = Object.keys(changes).length, chips = page === "inference" ? point.values.decode_chips : typedOf(point).chips
  const changed = count ? `${count} knob${count > 1 ? "s" : ""} changed` : "as published"
  return {
    answered, fault, page, sections, rows, chip: point.chip, model: point.model, own: {chip: "", model: ""},
    summary: {model: facts.models[point.model].name, rest: `${whole(chips)} ${facts.chips[point.chip].name}, ${changed}`},
  }
}
