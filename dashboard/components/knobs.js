// The knob column. One unanswered message at a time; of the moves of one slider the newest wins.

const RESET = "M3 4.5V1.5M3 4.5H6M3 4.5A5.6 5.6 0 1 1 2.4 8"
const CHEVRON = "M4 6l4 4 4-4"
const SLIDERS = "M2 5h7M13 5h1M2 11h1M7 11h7M11 5a1.6 1.6 0 1 0-.01 0M5 11a1.6 1.6 0 1 0-.01 0"
const CROSS = "M4 4l8 8M12 4l-8 8"

/** Sends messages one by one and waits for each answer. */
function post(model) {
  const queue = []
  let serial = 0, waiting = 0, patience
  const next = () => {
    if (waiting || queue.length === 0) return
    waiting = ++serial
    model.send_msg({...queue.shift(), serial: waiting})
    clearTimeout(patience)
    patience = setTimeout(() => { waiting = 0; next() }, 3000)
  }
  return {
    send(message) {
      const last = queue.at(-1)
      if (last && message.kind === "slide" && last.kind === "slide" && last.name === message.name) {
        message.continues &&= last.continues
        queue.pop()
      }
      queue.push(message)
      next()
    },
    answered(number) {
      if (number === waiting) { waiting = 0; next() }
    },
  }
}

function choiceRow(name, knob, send) {
  const select = h("select", {
    id: name, title: knob.doc, onchange: () => send({kind: "type", name, text: select.value, unit: ""}),
  }, knob.options.map((option) => h("option", {value: option}, option)))
  const reset = resetButton(name, knob, send)
  const row = h("div", {class: "row choice", "data-knob": name},
    h("label", {for: name, title: knob.doc}, knob.label), reset.element, h("span", {class: "pick"}, select, icon(CHEVRON, 12)))
  return {
    row,
    paint(shown) {
      if (select.value !== shown.text) select.value = shown.text
      reset.paint(shown.preset)
      row.classList.toggle("changed", shown.preset != null)
    },
    fault() {},
  }
}

function resetButton(name, knob, send) {
  const note = h("span")
  const element = h("button", {class: "reset", hidden: true, onclick: () => send({kind: "reset", name})}, note, icon(RESET, 11))
  return {
    element,
    paint(preset) {
      element.hidden = preset == null
      if (preset == null) return
      write(note, `preset ${preset}`)
      mark(element, "aria-label", `Reset ${knob.label} to its preset ${preset}`)
    },
  }
}

function numberRow(name, knob, send) {
  let shown = {}, sliding = false, stroke = false, kept = null, committed = false
  const title = h("span", {id: `${name}-label`}, `${knob.label} `, symbol(knob.symbol))
  const unit = h("span", {class: "unit"})
  const line = h("p", {class: "fault", id: `${name}-fault`, hidden: true})
  const entry = h("input", {
    id: name, class: "entry", type: "text", autocomplete: "off", spellcheck: "false", inputmode: "text",
    placeholder: knob.hint, "aria-labelledby": `${name}-label`,
  })
  const commit = () => {
    committed = entry.value.trim() !== (kept ?? shown.text)
    if (committed) send({kind: "type", name, text: entry.value, unit: shown.unit})
  }
  entry.addEventListener("focus", () => entry.select())
  entry.addEventListener("blur", commit)
  entry.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { commit(); entry.select() }
    if (event.key === "Escape") { kept = null; entry.value = shown.text; fault(null) }
  })
  const reset = resetButton(name, knob, send)
  const slider = knob.typed ? null : h("input", {
    type: "range", class: "slider", min: 0, max: 1, step: "any", "aria-labelledby": `${name}-label`,
    oninput: () => {
      place(Number(slider.value))
      sliding = true
      send({kind: "slide", name, place: Number(slider.value), continues: stroke})
      stroke = true
    },
    onchange: () => {
      sliding = stroke = false
      send({kind: "slide", name, place: Number(slider.value), continues: true})
    },
    onkeydown: (event) => {
      const steps = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 6, PageDown: -6}[event.key]
      if (!steps || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      send({kind: "nudge", name, steps, continues: event.repeat})
    },
  })
  const tick = h("span", {class: "tick", hidden: true})
  const row = h("div", {class: knob.typed ? "row typed" : "row", "data-knob": name},
    h("label", {for: name, title: knob.doc}, title), reset.element, entry, unit,
    slider && h("span", {class: "rail"}, slider, tick), line)
  const place = (at) => slider.style.setProperty("--at", at)

  function fault(found) {
    kept = found ? found.text : null
    mark(entry, "aria-invalid", found ? "true" : null)
    mark(entry, "aria-describedby", found ? line.id : null)
    line.hidden = !found
    write(line, found ? found.line : "")
    if (found) entry.value = found.text
    else if (entry.getRootNode().activeElement !== entry) entry.value = shown.text ?? ""
  }

  return {
    row,
    focus() { (slider ?? entry).focus() },
    paint(now) {
      const typing = entry.getRootNode().activeElement === entry && entry.value !== shown.text && !committed
      shown = now
      committed = false
      if (!typing && kept == null && entry.value !== now.text) entry.value = now.text
      write(unit, now.unit)
      mark(row, "title", null)
      entry.title = now.full
      reset.paint(now.preset)
      row.classList.toggle("changed", now.preset != null)
      if (!slider) return
      slider.disabled = now.place == null
      if (!sliding && now.place != null) { slider.value = now.place; place(now.place) }
      if (now.place == null) place(-1)
      mark(slider, "aria-valuetext", `${now.text} ${now.unit}`.trim())
      tick.hidden = now.tick == null
      if (now.tick != null) tick.style.setProperty("--at", now.tick)
    },
    fault,
  }
}

function picker(name, label, entries, send) {
  const select = h("select", {id: `pick-${name}`, onchange: () => send({kind: "pick", name, text: select.value})},
    entries.map(([slug, title]) => h("option", {value: slug}, title)))
  const element = h("div", {class: "picker"}, h("label", {for: `pick-${name}`}, label), select, icon(CHEVRON, 12))
  const own = h("option", {value: ""})
  return {
    element,
    paint(slug, title) {
      write(own, title)
      if (title && !own.isConnected) select.prepend(own)
      if (!title) own.remove()
      const now = title ? "" : slug
      if (select.value !== now) select.value = now
    },
  }
}

function section(title) {
  const remark = h("span", {class: "remark"}), rows = h("div", {class: "rows"})
  const element = h("details", {class: "section", "data-section": title},
    h("summary", {}, h("span", {class: "title"}, title), remark, icon(CHEVRON, 12)), rows)
  let page = null
  return {
    element,
    paint(shown, current, rowOf) {
      write(remark, shown.remark)
      remark.classList.toggle("changed", shown.changed > 0)
      if (page !== current) {
        page = current
        element.open = shown.open
        rows.replaceChildren(...shown.rows.map(rowOf))
      }
    },
  }
}

export function render({model}) {
  const spec = model.spec, {send, answered} = post(model)
  const rows = new Map(Object.entries(spec.knobs).map(([name, knob]) =>
    [name, (knob.options.length ? choiceRow : numberRow)(name, knob, send)]))
  const chip = picker("chip", "Chip", spec.chips, send), models = picker("model", "Model", spec.models, send)
  const groups = new Map(model.data.sections.map(({title}) => [title, section(title)]))
  const list = h("div", {class: "sections"})

  const about = h("span", {class: "about"}), rest = h("span", {class: "rest"})
  const panel = h("div", {class: "panel", id: "knob-panel"})
  const opener = h("button", {class: "opener", "aria-expanded": "false", "aria-controls": "knob-panel", onclick: () => drawer(true)},
    icon(SLIDERS), "Knobs")
  const closer = h("button", {class: "closer", "aria-label": "Close the knobs", onclick: () => drawer(false)}, icon(CROSS, 20))
  panel.append(closer, h("div", {class: "pickers"}, chip.element, models.element), list)
  const column = h("div", {class: "column"}, panel, h("div", {class: "bar"}, h("p", {}, about, rest), opener))

  function drawer(open) {
    column.classList.toggle("open", open)
    opener.setAttribute("aria-expanded", String(open))
    document.body.classList.toggle("drawer-open", open)
    if (open) { window.scrollTo(0, 0); closer.focus() } else opener.focus()
  }
  column.addEventListener("keydown", (event) => { if (event.key === "Escape" && column.classList.contains("open")) drawer(false) })

  document.addEventListener("scalegrad:knob", ({detail}) => {
    const found = rows.get(detail)
    found?.row.closest("details")?.setAttribute("open", "")
    found?.row.scrollIntoView({block: "nearest"})
    found?.focus?.()
  })

  let order = ""
  const paint = () => {
    const data = model.data
    chip.paint(data.chip, data.own.chip)
    models.paint(data.model, data.own.model)
    const wanted = data.sections.map(({title}) => title).join()
    if (order !== wanted) { order = wanted; list.replaceChildren(...data.sections.map(({title}) => groups.get(title).element)) }
    for (const shown of data.sections) groups.get(shown.title).paint(shown, data.page, (name) => rows.get(name).row)
    for (const [name, row] of rows) row.paint(data.rows[name] ?? spec.rows[name])
    for (const [name, row] of rows) row.fault(data.fault?.name === name ? data.fault : null)
    write(about, data.summary.model)
    write(rest, data.summary.rest)
    answered(data.answered)
  }
  model.on("change:data", paint)
  paint()
  return column
}
