// One evaluation of the graph: the emitted programs do the arithmetic; here their outputs get names, reasons and margins.

const filled = (numbers) => numbers.map((number) => (Number.isNaN(number) ? 1 : number))
const MULTIPLES = {"B": (value) => show(value, "B"), ",.0f": whole, "g": general}

function evaluate(point) {
  const numbers = numbersOf(point), found = programs.values(numbers)
  const bounds = Object.fromEntries(facts.outputs.map((name, index) => [name, found[index]]))
  const knobs = Object.fromEntries(knobNames.map((name, index) => [name, numbers[index]]))
  const reasons = undefinedReasons(point, bounds)
  const stopped = gateFaults([...numbers, ...found])
  for (const [name, {gates}] of Object.entries(facts.quantities)) {
    const first = gates.find((gate) => stopped[gate] !== null)
    if (first !== undefined && !(name in reasons)) reasons[name] = stopped[first]
  }
  const values = {...bounds}
  for (const name of Object.keys(reasons)) values[name] = NaN
  return {point, numbers, knobs, bounds, values, reasons, branches: branchesOf(bounds)}
}

/** Why quantities are not finite: an empty knob, or no solution. */
function undefinedReasons({values}, bounds) {
  const reasons = {}
  for (const [name, {optional, undefined: cause}] of Object.entries(facts.quantities)) {
    if (Number.isFinite(bounds[name])) continue
    const empty = optional.filter((knob) => values[knob] === null).map((knob) => facts.called[knob])
    reasons[name] = empty.length ? `set ${empty.join(" and ")}` : cause
  }
  return reasons
}

/** The line of each gate that fails, else null. */
function gateFaults(numbers) {
  const found = programs.gates(numbers)
  let at = facts.gates.length
  return facts.gates.map(({line, parts: count}, index) => {
    const shown = found.slice(at, (at += count))
    if (!(found[index] > 0)) return null
    return line.replace(/\{(\d+):([^}]+)\}/g, (_, part, form) => MULTIPLES[form](shown[part]))
  })
}

function branchesOf(bounds) {
  const grouped = {}
  for (const [name, value] of Object.entries(bounds)) {
    const [owner, branch] = name.split(":")
    if (branch && value !== -Infinity) (grouped[owner] ??= []).push({name: branch, value})
  }
  for (const branches of Object.values(grouped)) {
    const largest = branches.some(({value}) => Number.isNaN(value)) ? NaN : Math.max(...branches.map(({value}) => value))
    for (const branch of branches) branch.margin = branch.value ? largest / branch.value : Infinity
    branches.sort((a, b) => a.margin - b.margin)
  }
  return grouped
}

/** Elasticities (x/y) dy/dx of a headline value, or the reason why they can't be had. */
function gradientOf(evaluation, page, of) {
  const value = evaluation.values[of], reason = evaluation.reasons[of]
  if (reason) return {of, value, reason, elasticities: {}}
  if (value === 0) return {of, value, reason: `${of} is exactly 0: no relative change`, elasticities: {}}
  const cotangents = facts.pages[page].cotangents.map((name) => (name === of ? 1 : 0))
  const slopes = programs[`${page}_pullback`]([...filled(evaluation.numbers), ...cotangents])
  if (!slopes.every(Number.isFinite)) return {of, value, reason: "a value beside it has no derivative here", elasticities: {}}
  const elasticities = facts.differentiated.map((name, index) =>
    [name, slopes[index] ? slopes[index] * evaluation.knobs[name] / value + 0 : 0])
  return {of, value, reason: "", elasticities: Object.fromEntries(elasticities)}
}
