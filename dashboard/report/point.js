// The operating point: presets, changes on top of them, what a person types, and the same in a link.

class BadInput extends Error {
  constructor(...faults) {
    super(faults.join("; "))
    this.faults = faults
  }
}

const SUFFIXES = {"": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, B: 1e9, T: 1e12, P: 1e15, E: 1e18}
const TYPED = {chips: "data_shards", batch_seqs: "batch_tokens"}
const knobNames = Object.keys(facts.knobs)

function parseNumber(text) {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([kKMGBTPE]?)$/.exec(text.trim().replace(/[,_]/g, ""))
  const number = match && text.length <= 64 ? Number(match[1]) * SUFFIXES[match[2]] : NaN
  return Number.isFinite(number) ? number : null
}

function span(knob) {
  return `${general(knob.bounds[0])} to ${general(knob.bounds[1])}${knob.unit === "1" ? "" : ` ${knob.unit}`}`
}

/** The value of a knob that text, a number or nothing stands for. */
function read(name, raw, called = name) {
  const knob = facts.knobs[name], shown = String(raw).slice(0, 64)
  if (knob.kind === "choice") {
    const text = String(raw).trim().toLowerCase()
    if (text in knob.numbers) return text
    const number = {true: 1, yes: 1, on: 1, false: 0, no: 0, off: 0}[text] ?? parseNumber(text)
    const matches = Object.keys(knob.numbers).filter((option) => knob.numbers[option] === number)
    if (matches.length === 1) return matches[0]
    throw new BadInput(`${called}=${shown}: not an option; use one of ${Object.keys(knob.numbers).join(", ")}`)
  }
  if (raw == null || ["", "none", "null"].includes(String(raw).trim().toLowerCase())) {
    if (knob.optional) return null
    throw new BadInput(`${called}: empty; give a number from ${span(knob)}`)
  }
  const number = typeof raw === "number" ? raw : knob.names[raw.trim().toLowerCase()] ?? parseNumber(raw)
  const also = Object.keys(knob.names).length ? ` or ${Object.keys(knob.names).join(", ")}` : ""
  if (number == null || !Number.isFinite(number)) throw new BadInput(`${called}=${shown}: not a number; write it like 4M, 1.8e11 or 8192${also}`)
  if (number < knob.bounds[0] || number > knob.bounds[1]) throw new BadInput(`${called}=${shown}: out of range; give a number from ${span(knob)}`)
  if (knob.integer && !Number.isInteger(number)) throw new BadInput(`${called}=${shown}: counts ${knob.unit}; give a whole number from ${span(knob)}`)
  return number
}

function presetValues(chip, model, dtype) {
  const {rates, figures} = facts.chips[chip]
  return {...facts.defaults, ...figures, ...facts.models[model].dimensions, compute_dtype: dtype, peak_flops: rates[dtype] ?? null}
}

const presetOf = (point) => presetValues(point.chip, point.model, point.values.compute_dtype)

/** The knobs that differ from the presets; the compute dtype differs from its default. */
function changesOf(point) {
  const preset = {...presetOf(point), compute_dtype: facts.defaults.compute_dtype}
  const changed = new Set(knobNames.filter((name) => point.values[name] !== preset[name]))
  if (changed.has("compute_dtype") && preset.peak_flops == null) changed.add("peak_flops")
  return Object.fromEntries(knobNames.filter((name) => changed.has(name)).map((name) => [name, point.values[name]]))
}

function typedOf({values}) {
  return {chips: values.data_shards * values.tensor_shards, batch_seqs: values.batch_tokens / values.seq_len}
}

function numbersOf(point) {
  return knobNames.map((name) => {
    const knob = facts.knobs[name], value = point.values[name]
    return knob.kind === "choice" ? knob.numbers[value] : value ?? NaN
  })
}

function without(entries, ...names) {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)))
}

/** A point with settings on top of its own changes. */
function withSettings(point, settings) {
  let kept = without(changesOf(point), ...Object.keys(settings))
  if ("chips" in settings && !("data_shards" in settings) && !("tensor_shards" in settings)) {
    kept = without(kept, "data_shards")
    settings = {tensor_shards: point.values.tensor_shards, ...settings}
  }
  if ("batch_seqs" in settings) kept = without(kept, "batch_tokens")
  if ("compute_dtype" in settings) kept = without(kept, "peak_flops")
  return resolve(point.chip, point.model, {...kept, ...settings})
}

function resolve(chip, model, settings = {}) {
  const given = {}, counts = {}, faults = []
  for (const [kind, slug] of [["chip", chip], ["model", model]]) {
    if (!Object.hasOwn(facts[`${kind}s`], slug)) faults.push(`${slug}: no such ${kind} in this report`)
  }
  for (const [name, raw] of Object.entries(settings)) {
    try {
      if (Object.hasOwn(TYPED, name)) counts[name] = read(TYPED[name], raw, name)
      else if (Object.hasOwn(facts.knobs, name)) given[name] = read(name, raw)
      else faults.push(`${name}: no such knob`)
    } catch (error) {
      if (!(error instanceof BadInput)) throw error
      faults.push(...error.faults)
    }
  }
  if (faults.length) throw new BadInput(...faults)
  const dtype = given.compute_dtype ?? facts.defaults.compute_dtype, printed = Object.keys(facts.chips[chip].rates)
  if ("compute_dtype" in given && !("peak_flops" in given) && printed.length && !printed.includes(dtype)) {
    throw new BadInput(`compute_dtype=${dtype}: no rate is printed for ${chip} (only ${printed.join(", ")}); set peak_flops too`)
  }
  const values = {...presetValues(chip, model, dtype), ...given}
  if ("chips" in counts) splitChips(counts.chips, given, values)
  if ("batch_seqs" in counts) {
    if ("batch_tokens" in given) throw new BadInput("batch_seqs and batch_tokens both set the batch: give one of them")
    values.batch_tokens = read("batch_tokens", counts.batch_seqs * values.seq_len)
  }
  return {chip, model, values}
}

function splitChips(chips, given, values) {
  const [held, free] = "data_shards" in given && !("tensor_shards" in given)
    ? ["data_shards", "tensor_shards"] : ["tensor_shards", "data_shards"]
  const ways = values[held]
  if (free in given && given[free] * ways !== chips) {
    throw new BadInput(`chips=${general(chips)} is not data_shards x tensor_shards = ${general(given[free] * ways)}: leave one out`)
  }
  if (chips % ways) {
    const below = Math.floor(chips / ways) * ways
    const near = below ? `${below} or ${below + ways}` : `${ways}`
    throw new BadInput(`chips=${general(chips)} does not divide by ${held}=${general(ways)}: give ${near} chips, or set ${held}`)
  }
  values[free] = read(free, chips / ways)
}

/** Another chip or model: its own figures come in, changes by hand to the rest stay. */
function picked(point, {chip, model}) {
  let kept = without(changesOf(point), ...(chip ? facts.own.chip : []), ...(model ? facts.own.model : []))
  const unprinted = chip && "compute_dtype" in kept && !(kept.compute_dtype in (facts.chips[chip]?.rates ?? {}))
  if (unprinted) kept = without(kept, "compute_dtype")
  const notice = unprinted ? `compute_dtype: no ${changesOf(point).compute_dtype} rate is printed for ${chip}; back to the preset` : ""
  return {point: resolve(chip ?? point.chip, model ?? point.model, kept), notice}
}

function writeQuery(point, page, focus) {
  const keys = new URLSearchParams()
  if (page !== "training") keys.set("page", page)
  if (focus !== facts.pages[page].focus) keys.set("focus", focus)
  if (point.chip !== facts.opening.chip) keys.set("chip", point.chip)
  if (point.model !== facts.opening.model) keys.set("model", point.model)
  for (const [name, value] of Object.entries(changesOf(point))) keys.set(name, value ?? "none")
  return keys.size ? `v=${facts.version}&${keys}` : ""
}

/** The place that a link names. What can't be used is left as the report was written, and named in `faults`. */
function readQuery(query) {
  const keys = {}, faults = []
  if (query.length > 8192) return {...facts.start, faults: [`the link is ${whole(query.length)} characters long; at most 8,192 are read`]}
  for (const [key, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(keys, key)) faults.push(`${key.slice(0, 40)}: given twice; the first is used`)
    else keys[key] = value
  }
  const {v = facts.version, page: wanted = facts.start.page, focus: looked, chip, model, ...settings} = keys
  if (v !== facts.version) faults.push(`v: this page reads links of version ${facts.version}; newer keys may be missing`)
  const known = (kind, slug, fallback) => {
    if (slug === undefined || Object.hasOwn(facts[kind], slug)) return slug ?? fallback
    faults.push(`${kind.slice(0, -1)}=${slug.slice(0, 40)}: not in this report; ${fallback} is shown`)
    return fallback
  }
  const page = known("pages", wanted, facts.start.page)
  const first = facts.pages[page].focus
  const inPage = looked === undefined || facts.pages[page].headlines.includes(looked)
  if (!inPage) faults.push(`focus=${looked.slice(0, 40)}: no tile of this report; ${first} is shown`)
  let point = resolve(known("chips", chip, facts.opening.chip), known("models", model, facts.opening.model))
  for (const [name, value] of Object.entries(settings)) {
    try {
      point = withSettings(point, {[name]: value})
    } catch (error) {
      if (!(error instanceof BadInput)) throw error
      faults.push(...error.faults)
    }
  }
  return {point, page, focus: inPage && looked ? looked : first, faults}
}
