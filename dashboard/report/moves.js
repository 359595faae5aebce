// From a place on a map to knobs: a click or an arrow key becomes settings that divide and can be had.

const mostOf = (name) => facts.knobs[name].bounds[1]
const nearestWay = (ways, up) =>
  ways.reduce((best, way) => (Math.abs(Math.log2(way) - up) < Math.abs(Math.log2(best) - up) ? way : best))

/** The counts that no gate refuses for a remainder; at least 1. */
function waysOf(page, evaluation) {
  const {knob, gates} = facts.pages[page].ways, training = page === "training", mesh = meshOf(evaluation)
  const inputs = [...evaluation.numbers, ...facts.outputs.map((name) => evaluation.bounds[name])]
  const ways = []
  for (let way = 1; way <= Math.min(mostOf(knob), training ? mesh : Infinity); way++) {
    if (training && (mesh % way || mesh / way > mostOf("data_shards"))) continue
    inputs[knobNames.indexOf(knob)] = way
    const excess = programs.gates(inputs)
    if (gates.every((gate) => excess[gate] === 0)) ways.push(way)
  }
  return ways.length ? ways : [1]
}

const meshOf = ({knobs}) => knobs.data_shards * knobs.tensor_shards

function neighbour(ways, present, move) {
  if (move > 0) return ways.find((way) => way > present) ?? ways.at(-1)
  if (move < 0) return ways.findLast((way) => way < present) ?? ways[0]
  return nearestWay(ways, Math.log2(present))
}

/** The mesh of so many tensor shards, and a batch of whole sequences that covers its data shards. */
function meshSettings(evaluation, ways, tokens) {
  const shards = Math.round(meshOf(evaluation) / ways), length = evaluation.knobs.seq_len
  const fewest = Math.max(Math.ceil(shards / length), 1), most = Math.floor(mostOf("batch_tokens") / length)
  const sequences = Math.min(Math.max(roundEven(tokens / length), fewest), most)
  return {tensor_shards: ways, data_shards: shards, batch_tokens: sequences * length}
}

function placed({page, evaluation}, across, up) {
  const ways = nearestWay(waysOf(page, evaluation), up)
  if (page === "training") return meshSettings(evaluation, ways, 2 ** across * evaluation.bounds.chips)
  return {decode_batch: clamp(roundEven(2 ** across), 1, mostOf("decode_batch")), decode_chips: ways}
}

function stepped({page, evaluation}, right, up) {
  const {knobs} = evaluation
  if (page === "training") {
    const ways = neighbour(waysOf(page, evaluation), knobs.tensor_shards, up)
    const moved = knobs.batch_tokens * 2 ** (right * STEP), sequence = knobs.batch_tokens + right * knobs.seq_len
    if (right) return meshSettings(evaluation, ways, right > 0 ? Math.max(moved, sequence) : Math.min(moved, sequence))
    const shards = meshOf(evaluation) / ways
    if (knobs.batch_tokens >= Math.max(shards, knobs.seq_len)) return {tensor_shards: ways, data_shards: Math.round(shards)}
    return meshSettings(evaluation, ways, knobs.batch_tokens)
  }
  const moved = roundEven(knobs.decode_batch * 2 ** (right * STEP)), batch = knobs.decode_batch
  const next = right > 0 ? Math.max(moved, batch + 1) : right < 0 ? Math.min(moved, batch - 1) : batch
  return {
    decode_batch: clamp(next, 1, mostOf("decode_batch")),
    decode_chips: up ? neighbour(waysOf(page, evaluation), knobs.decode_chips, up) : knobs.decode_chips,
  }
}
