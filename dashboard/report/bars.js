// Columns of the time and memory bars: where a step's time goes, and what fills a chip, laid out as on the served page.

const NAMES_WIDTH = 100
const LETTER = 6.8
const PARTS = ["first", "second", "third", "fourth"]
const PART_COLOURS = {first: "bar", second: "bar2", third: "bar3", fourth: "bar4"}
const TIME = {
  training: {pitch: 35, half: 8, top: 18, lanes: ["Math", "TP comms", "FSDP comms"]},
  inference: {pitch: 35, half: 8, top: 2, lanes: ["HBM", "FLOPs", "ICI comms", "Prefill"]},
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const busy = ({spans}) => sum(spans.map(({length}) => length))

/** Ink or white, whichever stands out more against a colour. */
function onColour(colour) {
  const linear = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.19 ? "#0B1526" : "#FFFFFF"
}

function inARow(stage, start, pieces) {
  const spans = []
  pieces.forEach(([label, quantity, length], index) => {
    if (!(length > 0)) return
    spans.push({label, quantity, stage, part: PARTS[index], start, stop: start + length, length})
    start += length
  })
  return spans
}

function trainingLanes({bounds, knobs, branches}) {
  const oneWire = bounds.shared_wire > 0.5, lanes = [[], [], []], stops = []
  let start = 0
  for (const pass of ["forward", "backward"]) {
    const repeats = knobs.n_layers * bounds[`${pass}_math_time`] / bounds.forward_math_time
    lanes[0].push(...inARow(pass, start, [["MLP", "mlp"], ["projections", "projection"], ["attention", "attention"]].map(
      ([label, part]) => [label, `forward_${part}_time`, repeats * bounds[`forward_${part}_time`]])))
    const gathers = inARow(pass, start, [["FSDP comms", `${pass}_fsdp_time`, knobs.n_layers * bounds[`${pass}_fsdp_time`]]])
    lanes[2].push(...gathers)
    const after = oneWire && gathers.length ? gathers.at(-1).stop : start
    lanes[1].push(...inARow(pass, after, [["TP comms", `${pass}_tensor_time`, knobs.n_layers * bounds[`${pass}_tensor_time`]]]))
    start += knobs.n_layers * bounds[`${pass}_time`]
    stops.push(start)
  }
  if (bounds.head_time > 0) {
    lanes[0].push({...inARow("head", start, [["head", "head_time", bounds.head_time]])[0], part: "fourth"})
    stops.push(start + bounds.head_time)
  }
  const names = ["math", oneWire ? "wire" : "tp", oneWire ? "wire" : "fsdp"]
  return {stops, total: bounds.step_time, lanes: lanes.map((spans, index) => {
    const margins = ["forward", "backward"].map((pass) =>
      [pass, branches[`${pass}_time`].find(({name}) => name === names[index]).margin])
    const binding = spans.length ? margins.filter(([, margin]) => margin === 1).map(([pass]) => pass) : []
    return {name: TIME.training.lanes[index], spans, binding, slack: Math.min(...margins.map(([, margin]) => margin))}
  })}
}

function trainingWords(lane) {
  if (!lane.spans.length) return "nothing: one shard"
  const time = show(busy(lane), "s")
  if (!lane.binding.length) return `${time}, hidden; ${digits(lane.slack)}× slack`
  return `${time}, binds in ${lane.binding.length === 2 ? "both passes" : `the ${lane.binding[0]} pass`}`
}

function servingLane(name, spans, margin) {
  return {name, spans, binding: spans.length && margin === 1 ? ["step"] : [], slack: margin}
}

function servingWords(lane) {
  if (!lane.spans.length) return "nothing: one chip, or left out"
  const time = show(busy(lane), "s")
  if (lane.name === "ICI comms") return `${time}, added after`
  return lane.binding.length ? `${time}, binds` : `${time}, hidden; ${digits(lane.slack)}× slack`
}

function decodeLanes({bounds, knobs, branches}) {
  const margins = Object.fromEntries(branches.decode_roofline_time.map(({name, margin}) => [name, margin]))
  const weights = ["weights", "decode_weights_time", bounds.decode_weights_time], cache = ["KV", "decode_kv_time", bounds.decode_kv_time]
  const inside = knobs.kv_in_max > 0.5, end = bounds.decode_roofline_time
  const flops = inARow("step", inside ? 0 : bounds.decode_kv_time, [["FLOPs", "decode_flops_time", bounds.decode_flops_time]])
  const comms = inARow("step", end, [["comms", "decode_comms_time", bounds.decode_comms_time]])
  const lanes = [
    servingLane("HBM", inARow("step", 0, inside ? [weights, cache] : [cache, weights]), margins.memory),
    servingLane("FLOPs", flops, margins.flops),
    servingLane("ICI comms", comms, 1),
  ]
  return {lanes, stops: [end, ...comms.map(({stop}) => stop)], total: bounds.decode_step_time}
}

function prefillLane({bounds, branches}) {
  const margins = Object.fromEntries(branches.prefill_roofline_time.map(({name, margin}) => [name, margin]))
  const piece = ([label, part]) => inARow("step", 0, [[label, `prefill_${part}_time`, bounds[`prefill_${part}_time`]]])
  const comms = inARow("step", bounds.prefill_roofline_time, [["comms", "prefill_comms_time", bounds.prefill_comms_time]])
  const longest = [["FLOPs", "flops"], ["weights", "weights"]].find(([, part]) => margins[part] === 1)
  return {name: "Prefill", spans: [...piece(longest), ...comms], binding: ["step"], slack: 1}
}

/** Boxes, hairlines, texts, remark and caption of the time bars. */
function timeBars({evaluation, page}, colours) {
  const {pitch, half, top, lanes: names} = TIME[page], middle = (index) => top + pitch * index + half
  const training = page === "training", {reasons} = evaluation
  const remark = training ? "the longest lane of each pass counts" : "the longer of HBM and FLOPs, then comms"
  const reason = training ? reasons.step_time : reasons.decode_step_time || reasons.prefill_time
  if (reason) {
    const texts = names.flatMap((name, index) => [
      {x: 0, y: middle(index), color: colours.faint, text: name, dx: -NAMES_WIDTH},
      {x: 0, y: middle(index), color: colours.faint, text: MISSING}])
    return {bars: [], lines: [], texts, remark, caption: [`${capital(reason)}.`]}
  }
  const timeline = training ? trainingLanes(evaluation) : decodeLanes(evaluation)
  const rows = timeline.lanes.map((lane) => ({lane, words: (training ? trainingWords : servingWords)(lane), total: timeline.total}))
  const {knobs, bounds} = evaluation
  if (!training) {
    rows.push({lane: prefillLane(evaluation), total: bounds.prefill_time,
      words: `${whole(knobs.decode_batch)} × ${whole(knobs.prompt_len)} tokens, own scale`})
  }
  const texts = [], bars = []
  timeline.stops.slice(0, training ? 3 : 2).forEach((_, index) => {
    const x = (index ? timeline.stops[index - 1] : 0) / timeline.total
    const text = training ? ["forward", "backward", ""][index] : ""
    texts.push({x, y: 8, dx: x ? 4 : 0, text, color: colours.faint, size: "11px"})
  })
  rows.forEach(({lane, words: text, total}, index) => {
    bars.push(...lane.spans.map((span) => timeBar(span, lane, total, middle(index), colours)))
    texts.push({x: 0, y: middle(index), color: colours.text, style: lane.binding.length ? "bold" : "normal", text: lane.name, dx: -NAMES_WIDTH})
    texts.push({x: 0, y: middle(index) + half + 9, text, color: colours.muted})
  })
  for (const index of training ? [0] : [0, rows.length - 1]) {
    texts.push({x: 1, y: middle(index), color: colours.text, text: show(rows[index].total, "s"), dx: 8, style: "bold"})
  }
  const lines = timeline.stops.slice(0, -1).flatMap((stop) => [0, 1, 2].map((index) =>
    [stop / timeline.total, middle(index) - half - 3, stop / timeline.total, middle(index) + half + 3]))
  const told = training ? [timeline.lanes[0]] : timeline.lanes
  const totals = told.flatMap(({spans}) => [...new Set(spans.map(({label}) => label))].map((label) =>
    `${label} ${show(sum(spans.filter((span) => span.label === label).map(({length}) => length)), "s")}`))
  return {bars, lines, texts, remark, caption: [`${training ? "Math" : "Decode"}: ${totals.join(", ")}.`]}
}

function timeBar(span, lane, total, middle, colours) {
  const binds = lane.binding.includes(span.stage) || span.stage === "head"
  const colour = colours[binds ? PART_COLOURS[span.part] : span.part === "first" ? "bar3" : "bar4"]
  const label = lane.name.includes(span.label) ? show(span.length, "s") : `${span.label} ${show(span.length, "s")}`
  return {left: span.start / total, right: span.stop / total, middle, half: 8, colour, label, quantity: span.quantity}
}

/** The same of the memory bar. */
function memoryBars({evaluation, page}, colours) {
  const {bounds, knobs, reasons} = evaluation, training = page === "training", [height, half] = [24, 10]
  const pieces = training
    ? [["checkpoints", "checkpoint_bytes"], ["weights and optimizer", "state_bytes"]]
    : [["weights", "weight_store_bytes"], ["KV", "kv_cache_bytes"]]
  const chips = training ? bounds.chips : knobs.decode_chips
  const sizes = pieces.map(([label, name]) => [label, name, bounds[name] / chips])
  const lost = sizes.find(([, , size]) => !Number.isFinite(size)), spans = lost ? [] : inARow("memory", 0, sizes)
  const told = spans.map(({label, length}) => `${label} ${show(length, "B")}`)
  const limit = bounds.decode_batch_limit, counts = !training && Number.isFinite(limit) && limit >= 1
  const remark = ["one chip", ...(told.length || counts ? [told.join(", ")] : []), ...(counts ? [`${whole(Math.floor(limit))} sequences fit`] : [])].join("; ")
  if (lost) return {bars: [], lines: [], texts: [], remark, caption: [`${capital(reasons[lost[1]])}.`]}
  const capacity = knobs.hbm_capacity, known = Number.isFinite(capacity), used = sum(sizes.map(([, , size]) => size))
  const fits = !(used > capacity), whole_ = known ? Math.max(used, capacity) : used, y = height / 2
  const bars = spans.map((span, index) => ({left: span.start / whole_, right: span.stop / whole_, middle: y, half,
    colour: colours[["bar2", "bar3"][index]], label: fits ? told[index] : "", quantity: span.quantity}))
  const texts = [{x: 0, y, text: "HBM", color: colours.text, style: "bold", dx: -NAMES_WIDTH}], lines = []
  let caption = known ? [] : ["Capacity not known: set HBM capacity."]
  if (known && fits) {
    const share = used / capacity, free = `${show(capacity - used, "B")} free`, both = `${show(used, "B")} of ${show(capacity, "B")}`
    bars.push({left: share, right: 1, middle: y, half, colour: colours.ghost, label: "", quantity: ""})
    texts.push({y, x: share, text: both, color: colours.text, dx: 8, room: 1 - share})
    texts.push({y, x: 1, text: free, color: colours.muted, align: "right", dx: -8, room: (1 - share) * free.length / (free.length + both.length)})
  } else if (known) {
    const edge = capacity / whole_
    lines.push([edge, 0, edge, height])
    texts.push({x: 1, y, text: "does not fit", color: colours.text, dx: 6, style: "bold", size: "11px"})
    texts.push({x: edge, y, room: 1 - edge, color: onColour(colours.bar2), text: `over ${show(capacity, "B")}`, dx: 8})
    caption = [`Does not fit: ${show(used, "B")} of ${show(capacity, "B")}, ${show(used - capacity, "B")} too much.`]
  }
  return {bars, lines, texts, remark, caption}
}

/** The texts that have room on a frame of so many px, bars' labels first. */
function barTexts({bars, texts}, width) {
  const fits = (text, share) => text.length * LETTER + 12 <= share * width
  const labels = bars.filter(({label, left, right}) => label && fits(label, right - left))
    .map(({left, middle, label, colour}) => ({x: left, y: middle, text: label, color: onColour(colour), dx: 8}))
  return [...labels, ...texts.filter(({text, room: share}) => share === undefined || fits(text, share))]
}
