// What binds, in a sentence.

const TIE = 1e-12
const ZERO = 1e-12

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1)
const small = (text) => (/^.[a-z]/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text)
const factor = (value) => (value < 1e4 ? `${digits(value)}×` : "over 10,000×")
const listed = (items) => (items.length > 1 ? [items.slice(0, -1).join(", "), items.at(-1)].join(" and ") : items.join())

function bindingSentence(evaluation, page) {
  const {binding, maxima} = facts.pages[page], reason = evaluation.reasons[binding]
  if (reason) return `${capital(reason)}.`
  const live = programs[`${page}_live`](filled(evaluation.numbers))
  const groups = new Map()
  for (const [name, subject] of maxima.filter((_, index) => live[index] !== 0)) {
    const branches = evaluation.branches[name]
    if (!branches) continue
    const binds = branches.filter(({margin}) => margin <= 1 + TIE)
    const key = [branches, binds].map((each) => each.map((branch) => branch.name).sort().join()).join(";")
    const group = groups.get(key) ?? groups.set(key, {subjects: [], margins: {}}).get(key)
    group.subjects.push(subject)
    for (const branch of branches) group.margins[branch.name] = Math.min(branch.margin, group.margins[branch.name] ?? Infinity)
  }
  if (!groups.size) return "Nothing binds: no maximum enters."
  const told = [...groups.values()].map(({subjects, margins}) => [listed(subjects), sentenceOf(margins)])
  return told.length === 1 ? told[0][1] : told.map(([subject, sentence]) => `${subject}: ${small(sentence)}`).join(" ")
}

function sentenceOf(margins) {
  const sorted = Object.entries(margins).sort(([, a], [, b]) => a - b)
  const binding = sorted.filter(([, margin]) => margin <= 1 + TIE).map(([name]) => facts.branches[name])
  const slack = sorted.filter(([, margin]) => margin > 1 + TIE && margin < Infinity)
  const state = binding.length > 1
    ? `${capital(listed(binding.map(({label}) => label)))} tie; both one-sided values below.`
    : `${capital(binding[0].state)}.`
  if (!slack.length) return state
  const {verb, plural} = facts.branches[slack[0][0]]
  const factors = slack.map(([name, margin], index) =>
    `${facts.branches[name].label} ${index ? "" : `could ${verb} `}${factor(margin)}`)
  return `${state} ${capital(listed(factors))} before ${slack.length === 1 && !plural ? "it binds" : "they bind"}.`
}
