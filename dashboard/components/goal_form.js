// The question. Everything typed or ticked is told at once; the server keeps it, so that a repaint loses nothing.

export function render({model}) {
  const {targets, objectives} = model.spec
  const send = (kind, rest = {}) => model.send_msg({kind, ...rest})
  const mode = (name, text) => {
    const radio = h("input", {type: "radio", name: "mode", value: name, onchange: () => send("mode", {mode: name})})
    return {radio, element: h("label", {class: "mode"}, radio, h("span", {}, text))}
  }
  const modes = {reach: mode("reach", "Reach a value"), least: mode("least", "Make least")}
  const list = h("datalist", {id: "targets"}, targets.map(({label, of}) => h("option", {value: label}, of)))
  const known = new Map(targets.map(({label, of}) => [label.toLowerCase(), of]))
  const of = h("input", {id: "of", list: "targets", autocomplete: "off", onchange: () => send("of", {of: known.get(of.value.trim().toLowerCase()) ?? of.value.trim()}), onfocus: () => of.select()})
  const target = h("input", {id: "target", autocomplete: "off", placeholder: "40 %, 30 days, $10 M", onchange: () => send("target", {target: target.value}),
    onkeydown: (event) => { if (event.key === "Enter") run() }})
  const now = h("p", {class: "now"})
  const objective = h("select", {id: "objective", onchange: () => send("objective", {of: objective.value})}, objectives.map((each) => h("option", {value: each.of}, each.label)))
  const limits = new Map(model.data.limits.map((limit) => {
    const entry = h("input", {id: limit.of, autocomplete: "off", placeholder: "no limit", onchange: () => send("limit", {of: limit.of, text: entry.value}), onkeydown: (event) => { if (event.key === "Enter") run() }})
    const shown = h("span", {class: "now"})
    return [limit.of, {entry, shown, element: h("div", {class: "limit"}, h("label", {for: limit.of}, `${limit.label} ≤`), entry, shown)}]
  }))
  const reach = h("div", {class: "fields"}, h("label", {for: "of"}, "Value"), of, h("label", {for: "target"}, "Wanted"), target, now, list)
  const least = h("div", {class: "fields"}, h("label", {for: "objective"}, "Make least"), objective, h("p", {class: "now"}, "Under memory, always, and:"), [...limits.values()].map(({element}) => element))
  const knobs = h("div", {class: "knobs", role: "group", "aria-label": "Freed knobs"})
  const hold = h("input", {type: "checkbox", onchange: () => send("hold", {on: hold.checked})}), held = h("label", {class: "hold"}, hold, "hold the chip count")
  const start = h("button", {class: "run", onclick: () => run()}, "Search"), stop = h("button", {class: "stop", onclick: () => send("cancel")}, "Cancel")
  const status = h("p", {class: "status", role: "status", "aria-live": "polite"})

  function run() {
    send("run", {target: target.value, limits: Object.fromEntries([...limits].map(([name, {entry}]) => [name, entry.value]))})
  }

  function chip(knob) {
    const box = h("input", {type: "checkbox", checked: knob.freed, "data-knob": knob.name, onchange: () => send("free", {name: knob.name, on: box.checked})})
    return h("label", {class: "chip", title: `${knob.label}: ${knob.now}`}, box, h("span", {}, `${knob.label} `, symbol(knob.symbol)))
  }

  let shown = ""
  function paintKnobs(groups) {
    const text = JSON.stringify(groups)
    if (text === shown) return
    shown = text
    const at = knobs.getRootNode().activeElement?.dataset?.knob
    const opened = knobs.querySelector("details")?.open
    const [plan, ...others] = groups
    knobs.replaceChildren(...(plan ? [h("div", {class: "chips"}, plan.knobs.map(chip))] : [h("p", {class: "now"}, "No knob enters.")]),
      others.length ? h("details", {open: opened || others.some(({knobs: each}) => each.some(({freed}) => freed))}, h("summary", {}, "More knobs"),
        others.map(({title, knobs: each}) => [h("p", {class: "now"}, title), h("div", {class: "chips"}, each.map(chip))]).flat()) : "")
    if (at) knobs.querySelector(`[data-knob="${at}"]`)?.focus()
  }

  const typing = (entry) => entry.getRootNode().activeElement === entry
  const fill = (entry, text) => { if (!typing(entry)) entry.value = text }
  const paint = () => {
    const data = model.data
    for (const [name, {radio}] of Object.entries(modes)) radio.checked = data.mode === name
    reach.hidden = data.mode !== "reach"
    least.hidden = data.mode !== "least"
    fill(of, data.label)
    fill(target, data.target)
    write(now, `now ${data.now}`)
    objective.value = data.objective
    for (const limit of data.limits) {
      fill(limits.get(limit.of).entry, limit.text)
      write(limits.get(limit.of).shown, `now ${limit.now}`)
    }
    paintKnobs(data.groups)
    held.hidden = !data.shards
    hold.checked = data.hold
    start.disabled = data.running
    stop.disabled = !data.running
    write(status, data.status)
  }
  model.on("change:data", paint)
  paint()
  return h("section", {"aria-label": "Question"}, h("div", {class: "modes", role: "radiogroup", "aria-label": "What to ask"}, modes.reach.element, modes.least.element),
    reach, least, h("h3", {}, "Knobs that may move"), knobs, held, h("div", {class: "go"}, start, stop, status))
}
