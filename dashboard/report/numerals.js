// Numbers for people, digit for digit as the served page writes them: three digits, an SI or everyday unit.

const MISSING = "–"
const THIN = "\u2009"
const SI = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]
const SMALL = [[1, "s"], [1e-3, "ms"], [1e-6, "μs"], [1e-9, "ns"]]
const COUNTS = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"], [1, ""]]
const SCALED = new Set(["B", "B/s", "FLOP", "FLOP/s", "FLOP/B", "FLOP/$", "FLOP/token", "B/token"])
const COUNTED = new Set(["tokens", "params", "tokens/s"])

/** `1.23e+06`: a half goes to the even digit. */
function exponential(value, decimals) {
  const [exact, power] = Math.abs(value).toExponential(60).split("e")
  const kept = decimals ? decimals + 2 : 1
  const rest = decimals ? exact.slice(kept) : exact.slice(2)
  const half = /^50*$/.test(rest) && Number(exact[kept - 1]) % 2 === 0
  const [mantissa, exponent] = half ? [exact.slice(0, kept), power] : Math.abs(value).toExponential(decimals).split("e")
  return `${value < 0 ? "-" : ""}${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`
}

/** A number with fixed decimals: a half goes to the even digit. */
function fixed(value, decimals) {
  const long = Math.abs(value).toFixed(100)
  const point = long.indexOf("."), kept = decimals ? point + 1 + decimals : point
  const rest = long.slice(decimals ? kept : kept + 1)
  const half = /^50*$/.test(rest) && Number(long[kept - 1]) % 2 === 0
  const text = half ? long.slice(0, kept) : Math.abs(value).toFixed(decimals)
  return value < 0 ? `-${text}` : text
}

/** Thousands commas. */
function grouped(text) {
  const [whole, ...rest] = text.split(".")
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".")
}

/** A whole number with commas. */
function whole(value) {
  return Number.isFinite(value) ? grouped(fixed(value, 0)) : Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf"
}

/** Six significant digits without trailing zeros. */
function general(value, significant = 6) {
  if (value === 0) return "0"
  const text = exponential(value, significant - 1), power = Number(text.split("e")[1])
  if (power < -4 || power >= significant) {
    const [mantissa, exponent] = text.split("e")
    return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${exponent}`
  }
  const plain = fixed(Number(text), significant - 1 - power)
  return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain
}

function minus(text) {
  return text.replaceAll("-", "−")
}

function digits(value, significant = 3) {
  if (value === 0) return "0"
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : "inf"
  if (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4) return minus(exponential(value, significant - 1))
  const text = exponential(value, significant - 1)
  const decimals = Math.max(0, significant - 1 - Number(text.split("e")[1]))
  return minus(grouped(fixed(Number(text), decimals)))
}

function scaled(value, steps, significant) {
  const rounded = Math.abs(Number(exponential(value, significant - 1)))
  const [scale, prefix] = steps.find(([scale]) => rounded >= scale) ?? steps.at(-1)
  return [digits(value / scale, significant), prefix]
}

/** Number and unit; what can't be had is a dash without a unit. */
function parts(value, unit, significant = 3) {
  if (value == null || !Number.isFinite(value)) return [MISSING, ""]
  if (unit === "s") return value ? scaled(value, SMALL, significant) : ["0", "s"]
  if (SCALED.has(unit)) {
    const [number, prefix] = scaled(value, SI, significant)
    return [number, `${prefix}${unit}`]
  }
  if (COUNTED.has(unit)) {
    if (Number.isInteger(value) && Math.abs(value) < 1e6) return [minus(whole(value)), unit]
    const [number, prefix] = scaled(value, COUNTS, significant)
    return [number, `${prefix} ${unit}`.trim()]
  }
  if (unit === "$") {
    const [number, prefix] = scaled(value, COUNTS, significant)
    return [`$${number}`.replaceAll("$−", "−$"), prefix]
  }
  if (unit === "1") return [digits(value, significant), ""]
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return [minus(whole(value)), unit]
  return [digits(value, significant), unit]
}

function show(value, unit, significant = 3) {
  const [number, name] = parts(value, unit, significant)
  return name ? `${number}${THIN}${name}` : number
}
