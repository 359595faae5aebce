// Starts, shows and cancels a sweep. The bar is a progress element; the line beside it is read out as it changes.

export function render({model}) {
  const {plans, missing} = model.spec
  const chooser = h("select", {id: "sweep-plan"}, plans.map(([name, words]) => h("option", {value: name}, words)))
  const start = h("button", {class: "start", onclick: () => model.send_msg({kind: "start", plan: chooser.value})}, "Start the sweep")
  const cancel = h("button", {class: "cancel", onclick: () => { cancel.disabled = true; model.send_msg({kind: "cancel"}) }}, "Cancel")
  const bar = h("progress", {max: "1", "aria-label": "Share of the sweep's FLOPs"})
  const words = h("p", {class: "words", role: "status"}), lines = h("ol", {class: "lines", "aria-label": "What has just ended"})
  const paint = () => {
    const {running, share, words: said, lines: ended, refused} = model.data
    chooser.disabled = running
    start.hidden = running
    cancel.hidden = !running
    if (!running) cancel.disabled = false
    bar.hidden = share == null
    bar.value = share ?? 0
    write(words, said)
    words.classList.toggle("refused", !!refused)
    lines.replaceChildren(...ended.map((line) => h("li", {}, line)))
  }
  model.on("change:data", paint)
  paint()
  const about = h("p", {class: "about"}, missing ||
    "Small transformers on three-digit multiplication, trained here in the background: two workers, results kept and resumed.")
  const entry = h("div", {class: "entry"},
    h("div", {class: "picker"}, h("label", {for: "sweep-plan"}, "Grid"), chooser, icon("M4 6l4 4 4-4", 14)), start, cancel)
  return h("section", {"aria-label": "Sweep"}, h("h2", {}, "Run a sweep"), about, ...(missing ? [] : [entry, bar, words, lines]))
}
