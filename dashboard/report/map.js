// The map of a page: the emitted programs evaluate every cell; borders run where two regimes tie between cells.

const NOWHERE = -1
const STEP = 0.25
/** px by which words beside a mark are lifted until they are free. */
const LIFTS = [0, 10, -10, 20, -20, 36, -36]
const TEXT = {letter: 6.6, line: 16, gap: 14}
const clampCell = (value, count) => Math.min(Math.max(Math.trunc(value), 0), count - 1)
const wholeWhereClose = (count) => (Math.abs(count - Math.round(count)) < 1e-9 * count ? Math.round(count) : count)
const places = Object.fromEntries(knobNames.map((name, index) => [name, index]))

function keptOrCentred(low, high, value) {
  if (!Number.isFinite(value) || (low + 0.1 <= value && value <= high - 0.1)) return [low, high]
  const shift = 2 * roundEven((value - (low + high) / 2) / 2)
  return [low + shift, high + shift]
}

/** What each page's map is made of: its window, the knobs of a cell, its regimes, and what it shades. */
const PLANES = {
  training: {
    shape: [56, 29],
    window({bounds, knobs}, before) {
      const [left, right] = keptOrCentred(before?.left ?? 2, before?.right ?? 16, Math.log2(bounds.tokens_per_chip))
      const most = Math.max(1, Math.ceil(Math.log2(bounds.chips)))
      const highest = Math.min(Math.max(7, Math.ceil(Math.log2(knobs.tensor_shards) + 0.5)), most)
      const half = highest / 28 / 2
      return {left, right, bottom: -half, top: highest + half}
    },
    knobs({bounds, knobs}, across, up) {
      const mesh = knobs.data_shards * knobs.tensor_shards, ways = Math.min(wholeWhereClose(2 ** up), mesh)
      return {tensor_shards: ways, data_shards: mesh / ways, batch_tokens: 2 ** across * bounds.chips}
    },
    ring: ({bounds, knobs}) => [Math.log2(bounds.tokens_per_chip), Math.log2(knobs.tensor_shards)],
    names: ["math", "fsdp", "tp", "wire"].map((name) => facts.branches[name].state),
    scores: (cell) => ["math", "fsdp", "tp", "wire"].map((name) => cell[`forward_time:${name}`]),
    shade: (cell) => cell.mfu,
    headroom: (cell) => cell.memory_headroom,
    least: ({bounds, knobs}) => Math.log2(knobs.seq_len / bounds.chips),
    under: ({knobs}) => ["under one sequence", `${whole(knobs.seq_len)} tokens`],
    ceiling: ({bounds}, window) => {
      const row = centres(window.bottom, window.top, 29).findIndex((up) => wholeWhereClose(2 ** up) >= bounds.chips)
      return row < 0 ? Infinity : window.bottom + (window.top - window.bottom) / 29 * (row + 1)
    },
    highest: ({knobs}) => knobs.matmul_efficiency,
    marks: [],
    told({values, reasons, bounds}) {
      const short = reasons.mfu?.startsWith("does not fit") ? "does not fit" : "no MFU here"
      return {remark: `${whole(bounds.chips)} chips; click to move`, here: reasons.mfu ? short : `MFU ${digits(100 * values.mfu)}${THIN}%`,
        reason: reasons.mfu}
    },
    spot: ({knobs, bounds}) => `At ${whole(knobs.tensor_shards)} tensor shards and ${digits(bounds.tokens_per_chip)} tokens per chip`,
  },
  inference: {
    shape: [42, 33],
    window({knobs}, before) {
      const [left, right] = keptOrCentred(before?.left ?? -0.125, before?.right ?? 10.375, Math.log2(knobs.decode_batch))
      const [bottom, top] = keptOrCentred(before?.bottom ?? -0.125, before?.top ?? 8.125, Math.log2(knobs.decode_chips))
      const lift = Math.max(-0.125 - bottom, 0), push = Math.max(-0.125 - left, 0)
      return {left: left + push, right: right + push, bottom: bottom + lift, top: top + lift}
    },
    knobs: (_, across, up) => ({decode_batch: wholeWhereClose(2 ** across), decode_chips: wholeWhereClose(2 ** up)}),
    ring: ({knobs}) => [Math.log2(knobs.decode_batch), Math.log2(knobs.decode_chips)],
    names: [facts.branches.flops.state, facts.branches.memory.state, "comms-bound"],
    scores(cell) {
      const flops = cell["decode_roofline_time:flops"], memory = cell["decode_roofline_time:memory"], most = Math.max(flops, memory)
      return [cell.decode_roofline_time * flops / most, cell.decode_roofline_time * memory / most, cell.decode_comms_time]
    },
    shade: (cell) => cell.useful_flops_fraction,
    headroom: (cell) => cell.decode_memory_headroom,
    least: () => -Infinity,
    under: () => ["", ""],
    ceiling: () => Infinity,
    highest: (_, most) => most,
    marks: [["cheap tokens", (cell) => cell.useful_flops_fraction], ["low latency", (cell) => -cell.decode_step_time]],
    told({values, reasons}) {
      const reason = reasons.useful_flops_fraction, short = reason?.startsWith("does not fit") ? "does not fit" : "no value here"
      return {remark: "click to move", here: reason ? short : `${digits(100 * values.useful_flops_fraction)}${THIN}% useful`, reason}
    },
    spot: ({knobs}) => `At batch ${whole(knobs.decode_batch)} on ${whole(knobs.decode_chips)} chips`,
  },
}

function centres(low, high, count) {
  return Array.from({length: count}, (_, index) => low + (high - low) / count * (index + 0.5))
}

/** The graph at a place on a page's map. */
function cellAt(page, evaluation, across, up) {
  const numbers = [...evaluation.numbers]
  const moved = PLANES[page].knobs(evaluation, across, up), names = facts.pages[page].mapOutputs
  for (const name in moved) numbers[places[name]] = moved[name]
  const found = programs[`${page}_map`](numbers), cell = {}
  for (let index = 0; index < names.length; index++) cell[names[index]] = found[index]
  return cell
}

function mapOf({evaluation, page}, before) {
  const plane = PLANES[page], [columns, rows] = plane.shape, window = plane.window(evaluation, before)
  const across = centres(window.left, window.right, columns), up = centres(window.bottom, window.top, rows)
  const cells = up.map((y) => across.map((x) => cellAt(page, evaluation, x, y)))
  const scores = cells.map((row) => row.map((cell) => plane.scores(cell)))
  const least = plane.least(evaluation), ceiling = plane.ceiling(evaluation, window)
  const regimes = cells.map((row, r) => row.map((cell, c) => {
    if (plane.headroom(cell) < 0 || across[c] < least || up[r] > ceiling) return NOWHERE
    return largest(scores[r][c])
  }))
  const open = (r, c) => regimes[r]?.[c] >= 0
  const beside = (r, c) => [-1, 0, 1].some((dr) => [-1, 0, 1].some((dc) => open(r + dr, c + dc)))
  const shade = cells.map((row, r) => row.map((cell, c) => (beside(r, c) ? plane.shade(cell) : NaN)))
  const shown = shade.flatMap((row, r) => row.filter((value, c) => open(r, c) && Number.isFinite(value)))
  const marks = plane.marks.flatMap(([text, score]) => {
    let best = null
    cells.forEach((row, r) => row.forEach((cell, c) => {
      if (open(r, c) && (best === null || score(cell) > best.score)) best = {text, score: score(cell), x: across[c], y: up[r]}
    }))
    return best ? [best] : []
  })
  return {
    window, shade, regimes, marks, names: plane.names, ring: plane.ring(evaluation), across, up,
    highest: plane.highest(evaluation, shown.length ? Math.max(...shown) : evaluation.knobs.matmul_efficiency),
    borders: bordersOf(scores, [window.left, ...across, window.right], [window.bottom, ...up, window.top]),
    forbidden: forbiddenOf(page, evaluation, window, least, ceiling),
  }
}

function largest(scores) {
  if (scores.some(Number.isNaN)) return NOWHERE
  return scores.indexOf(Math.max(...scores))
}

/** Pieces of the lines on which two regimes tie, square by square of neighbouring cells. */
function bordersOf(scores, across, up) {
  const inner = (index, count) => clampCell(index - 1, count)
  const score = (r, c) => scores[inner(r, scores.length)][inner(c, scores[0].length)]
  const pieces = []
  for (let r = 0; r + 1 < up.length; r++) {
    for (let c = 0; c + 1 < across.length; c++) {
      const corners = [[r, c], [r, c + 1], [r + 1, c + 1], [r + 1, c]]
      const found = corners.map(([row, column]) => score(row, column)), winners = [...new Set(found.map(largest))]
      if (winners.length < 2 || winners.includes(NOWHERE)) continue
      // Halfway along a piece no third regime may lead, else a spur would stand where three meet.
      const leads = (one, [[x0, y0], [x1, y1]]) => {
        const right = ((x0 + x1) / 2 - across[c]) / (across[c + 1] - across[c]), top = ((y0 + y1) / 2 - up[r]) / (up[r + 1] - up[r])
        const shares = [(1 - right) * (1 - top), right * (1 - top), right * top, (1 - right) * top]
        const level = (regime) => sum(found.map((each, corner) => shares[corner] * Math.log2(each[regime])))
        return winners.every((other) => level(other) <= level(one) + 0.05)
      }
      winners.sort().forEach((first, index) => winners.slice(index + 1).forEach((second) => {
        const ratio = found.map((each) => Math.max(-30, Math.min(30, Math.log2(each[first] / each[second]))))
        const ends = corners.flatMap(([row, column], from) => {
          const to = (from + 1) % 4, [a, b] = [ratio[from], ratio[to]]
          if ((a >= 0) === (b >= 0)) return []
          const share = a / (a - b), [nextRow, nextColumn] = corners[to]
          return [[across[column] + share * (across[nextColumn] - across[column]), up[row] + share * (up[nextRow] - up[row])]]
        })
        if (ends.length >= 2 && leads(first, ends)) pieces.push(ends.slice(0, 2))
      }))
    }
  }
  return pieces
}

/** Regions that can't be had: outline, words, limit. */
function forbiddenOf(page, evaluation, window, least, ceiling) {
  const {left, right, bottom, top} = window, plane = PLANES[page], found = []
  const heights = Array.from({length: 33}, (_, index) => bottom + (top - bottom) * index / 32)
  const edges = heights.map((y) => edgeOfMemory(page, evaluation, window, Math.min(y, ceiling)))
  const most = Math.max(...edges)
  if (edges.some((edge) => edge < right)) {
    found.push({text: "does not fit", limit: `over ${show(evaluation.knobs.hbm_capacity, "B")}`,
      xs: [...edges, right, right], ys: [...heights, top, bottom]})
  }
  const box = ([text, limit], x0, x1, y0, y1) => found.push({text, limit, xs: [x0, x1, x1, x0], ys: [y0, y0, y1, y1]})
  if (least > left && Math.min(least, most) > left) box(plane.under(evaluation), left, Math.min(least, most, right), bottom, top)
  const from = Math.max(least, left), to = Math.min(most, right)
  if (ceiling < top && from < to) box(["more shards than chips", `${whole(evaluation.bounds.chips)} chips`], from, to, ceiling, top)
  return found
}

/** Where memory ends at a height: found by halving, since a larger batch never needs less. */
function edgeOfMemory(page, evaluation, {left, right}, up) {
  const full_ = (across) => PLANES[page].headroom(cellAt(page, evaluation, across, up)) < 0
  if (!full_(right)) return right
  if (full_(left)) return left
  let [low, high] = [left, right]
  for (let halving = 0; halving < 40; halving++) {
    const middle = (low + high) / 2
    if (full_(middle)) high = middle
    else low = middle
  }
  return low
}

/** Words on the map, each where it is free: the ring's, the marks', the regions', the regimes'. */
function mapTexts(drawn, here, colours, palette, frame) {
  const {window, regimes, shade, across, up} = drawn, rows = up.length, columns = across.length
  const [cellWidth, cellHeight] = [frame[0] / columns, frame[1] / rows], taken = regimes.map((row) => row.map(() => false))
  const cellOf = (x, y) => [clampCell((y - window.bottom) / (window.top - window.bottom) * rows, rows),
    clampCell((x - window.left) / (window.right - window.left) * columns, columns)]
  const halfOf = (lines) => Math.max(Math.ceil((lines * TEXT.line / cellHeight - 1) / 2), 0)
  const cellsIn = ([r0, r1, c0, c1]) => {
    const inside = []
    for (let r = Math.max(r0, 0); r < Math.min(r1, rows); r++) for (let c = Math.max(c0, 0); c < Math.min(c1, columns); c++) inside.push([r, c])
    return inside
  }
  const take = (box) => cellsIn(box).forEach(([r, c]) => { taken[r][c] = true })
  const ink = (box) => {
    const known = cellsIn(box).map(([r, c]) => shade[r][c]).filter(Number.isFinite)
    if (!known.length) return colours.text
    return onColour(palette[clampCell(sum(known) / known.length / drawn.highest * 256, 256)])
  }
  const beside = ([centre, column], text, lines, toLeft, lift = 0) => {
    const row = centre + roundEven(lift / cellHeight)
    const reach = Math.ceil((TEXT.gap + text.length * TEXT.letter) / cellWidth), half = halfOf(lines)
    const box = toLeft ? [row - half, row + half + 1, column - reach, column + 1] : [row - half, row + half + 1, column, column + reach + 1]
    if (box[2] < 0 || box[3] > columns) return null
    const ground = regimes[centre][column] === NOWHERE
    return cellsIn(box).every(([r, c]) => (regimes[r][c] === NOWHERE) === ground && !taken[r][c]) ? box : null
  }
  const inside = (part, text, lines) => {
    const members = cellsIn([0, rows, 0, columns]).filter(([r, c]) => part(r, c)), half = halfOf(lines)
    const reach = Math.ceil((text.length * TEXT.letter + 8) / cellWidth / 2)
    const middle = [0, 1].map((axis) => sum(members.map((cell) => cell[axis])) / members.length)
    let best = null
    for (const [r, c] of members) {
      const box = [r - half, r + half + 1, c - reach, c + reach + 1]
      if (box[0] < 0 || box[1] > rows || box[2] < 0 || box[3] > columns) continue
      const away = (r - middle[0]) ** 2 + (c - middle[1]) ** 2
      if (best !== null && away >= best.away) continue
      if (cellsIn(box).every(([row, column]) => part(row, column) && !taken[row][column])) best = {box, away, cell: [r, c]}
    }
    if (best) take(best.box)
    return best
  }
  const texts = []
  const ringCell = cellOf(...drawn.ring), toRight = drawn.ring[0] > (window.left + window.right) / 2
  const tries = [[2, toRight], [2, !toRight], [1, toRight], [1, !toRight]]
  const [lines, toLeft, box] = tries.map(([count, left]) => [count, left, beside(ringCell, here, count, left)]).find((each) => each[2]) ?? [2, toRight, null]
  take(box ?? [ringCell[0] - 2, ringCell[0] + 3, ringCell[1] - 3, ringCell[1] + 4])
  take([ringCell[0] - 1, ringCell[0] + 2, ringCell[1] - 1, ringCell[1] + 2])
  const colour = regimes[ringCell[0]][ringCell[1]] === NOWHERE ? colours.text : ink(box ?? [ringCell[0], ringCell[0] + 1, ringCell[1], ringCell[1] + 1])
  ;["here", here].slice(0, lines).forEach((text, index) => texts.push({x: drawn.ring[0], y: drawn.ring[1], text, color: colour,
    align: toLeft ? "right" : "left", dx: toLeft ? -14 : 14, style: index ? "normal" : "bold", dy: (lines > 1 ? -8 : 0) + 16 * index}))
  for (const mark of drawn.marks) {
    const cell = cellOf(mark.x, mark.y), tried = LIFTS.flatMap((lift) => [[lift, false], [lift, true]])
    const [lift, left, free] = tried.map((each) => [...each, beside(cell, mark.text, 1, each[1], each[0])]).find((each) => each[2]) ?? []
    if (!free) continue
    take(free)
    texts.push({x: mark.x, y: mark.y, text: mark.text, color: ink(free), align: left ? "right" : "left", dx: left ? -8 : 8, dy: -lift})
  }
  for (const {text, limit, xs, ys} of drawn.forbidden) {
    const part = (r, c) => regimes[r][c] === NOWHERE && across[c] >= Math.min(...xs) && across[c] <= Math.max(...xs) &&
      up[r] >= Math.min(...ys) && up[r] <= Math.max(...ys)
    const place = inside(part, text.length > limit.length ? text : limit, 2) ?? inside(part, text, 1)
    if (!place) continue
    const both = {x: across[place.cell[1]], y: up[place.cell[0]], align: "center"}, two = place.box[1] - place.box[0] > 2 * halfOf(1) + 1
    texts.push({...both, text, color: colours.text, dy: two ? -8 : 0})
    if (two) texts.push({...both, text: limit, color: colours.muted, dy: 8})
  }
  drawn.names.forEach((text, index) => {
    const place = inside((r, c) => regimes[r][c] === index, text, 1)
    if (place) texts.push({x: across[place.cell[1]], y: up[place.cell[0]], text, color: ink(place.box), align: "center"})
  })
  return texts
}
