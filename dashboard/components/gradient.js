// Elasticities as rows of HTML: a name that leads to the knob, a bar from the zero axis, and the signed number.

const NAMED = 9

function lead(knob, text) {
  return h("button", {class: "lead", title: `Go to ${knob.label}`,
    onclick: () => document.dispatchEvent(new CustomEvent("scalegrad:knob", {detail: knob.name}))}, text)
}

function bar(knob, span) {
  const share = 50 * Math.abs(knob.e) / span
  const side = knob.e < 0 ? "neg" : "pos"
  return h("li", {"data-knob": knob.name, "data-e": knob.full},
    lead(knob, [`${knob.label} `, symbol(knob.symbol)]),
    h("span", {class: "lane", "aria-hidden": "true"}, h("span", {class: `bar ${side}`, style: `width: ${share.toFixed(2)}%`})),
    h("span", {class: "number", title: knob.full}, knob.text))
}

function listed(knobs, text = () => []) {
  return knobs.flatMap((knob, index) => [index ? ", " : "", lead(knob, symbol(knob.symbol)), ...text(knob)])
}

export function render({model}) {
  const title = h("h2", {id: "title"}), remark = h("p", {class: "remark"}), bars = h("ul", {class: "bars", "aria-labelledby": "title"})
  const rest = h("p", {class: "rest"})
  const all = h("button", {class: "all", "aria-haspopup": "dialog", onclick: () => document.dispatchEvent(new CustomEvent("scalegrad:elasticities"))}, "All elasticities")
  const zeroList = h("summary"), why = h("ul"), zeroed = h("details", {class: "rest"}, zeroList, why)
  zeroed.addEventListener("toggle", () => model.send_msg({explain: zeroed.open}))
  let shown = ""
  const paint = () => {
    const text = JSON.stringify(model.data)
    if (text === shown) return
    shown = text
    const {label, symbol: letters, reason, span, bars: rows, smaller, zeros} = model.data
    write(title, `What moves ${label[1] === label[1]?.toLowerCase() ? label[0].toLowerCase() + label.slice(1) : label}`)
    remark.replaceChildren("% change per +1 % of the knob, ∂ log ", symbol(letters), " / ∂ log knob")
    bars.replaceChildren(...(reason ? [h("li", {class: "reason"}, `No gradient: ${reason}.`)] : rows.map((knob) => bar(knob, span))))
    rest.replaceChildren(
      ...(smaller.length ? ["Smaller: ", ...listed(smaller, (knob) => [` ${knob.text}`]), "."] : []),
    )
    zeroed.hidden = zeros.length === 0
    zeroList.replaceChildren("Exactly zero here: ", ...zeros.slice(0, NAMED).flatMap((knob, index) => [index ? ", " : "", symbol(knob.symbol)]),
      zeros.length > NAMED ? ` and ${zeros.length - NAMED} more` : "", icon("M4 6l4 4 4-4", 12))
    why.replaceChildren(...zeros.map((knob) => h("li", {}, lead(knob, [`${knob.label} `, symbol(knob.symbol)]), h("span", {}, knob.why))))
  }
  model.on("change:data", paint)
  paint()
  return h("section", {"aria-labelledby": "title"}, h("div", {class: "head"}, title, all), remark, bars, rest, zeroed)
}
