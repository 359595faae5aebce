// Takes a config.json as text: pasted, dropped or from a file. What is too large or no text is refused here.

export function render({model}) {
  const {limit} = model.spec
  const words = h("span"), use = h("button", {class: "use", hidden: true, onclick: () => model.send_msg({kind: "load"})}, "Use in Training and Inference")
  const said = h("div", {class: "said"}, h("span", {role: "status", "aria-live": "polite"}, words), use)
  const area = h("textarea", {
    id: "config", "aria-label": "A config.json", placeholder: "Paste a config.json, or drop the file here", spellcheck: "false", autocomplete: "off",
    onpaste: () => setTimeout(() => read(area.value, "")),
    onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) read(area.value, "") },
  })
  const chooser = h("input", {type: "file", class: "unseen", id: "config-file", accept: ".json,application/json,text/plain", onchange: () => take(chooser.files[0])})

  function say(line, refused, loadable = false) {
    write(words, line)
    said.classList.toggle("refused", refused)
    use.hidden = !loadable
  }

  function read(text, file) {
    if (!text.trim()) return say("config: nothing to count; paste the text of a config.json or choose the file", true)
    const bytes = new TextEncoder().encode(text).length
    if (bytes > limit) return say(`config: is ${bytes.toLocaleString("en")} bytes, more than ${limit.toLocaleString("en")}; give the config.json alone`, true)
    say("Counting…", false)
    model.send_msg({kind: "read", text, file})
  }

  async function take(file) {
    if (!file) return
    const {name, size} = file
    if (size > limit) {
      say(`${name}: is ${size.toLocaleString("en")} bytes, more than ${limit.toLocaleString("en")}; give the config.json alone, not weights or an index`, true)
    } else {
      try {
        const text = new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer())
        area.value = ""
        read(text, name)
      } catch {
        say(`${name}: is not UTF-8 text; give the config.json itself`, true)
      }
    }
    chooser.value = ""
  }

  const entry = h("div", {class: "entry"}, area, h("label", {class: "file"}, "Choose a file", chooser),
    h("button", {class: "count", onclick: () => read(area.value, "")}, "Count"))
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    entry.addEventListener(kind, (event) => {
      event.preventDefault()
      entry.classList.toggle("over", kind === "dragenter" || kind === "dragover")
      if (kind === "drop") take(event.dataTransfer.files[0])
    })
  }
  const paint = () => say(model.data.line, model.data.refused, model.data.loadable)
  model.on("change:data", paint)
  paint()
  return h("section", {"aria-label": "Count a model"}, h("h1", {}, "Architecture"),
    h("p", {class: "about"}, "Any decoder-only model, counted exactly from its Hugging Face config.json, or refused with the reason."),
    entry, said)
}
