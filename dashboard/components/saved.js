// What the browser keeps: names with the knobs of a chip or a model, as text. Nothing of it is sent until it is loaded.

const KEY = "scalegrad-saved"
const TITLES = {model: "Models", chip: "Chips"}

function stored() {
  const kept = {model: {}, chip: {}}
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}")
    for (const kind of Object.keys(kept)) {
      for (const [name, settings] of Object.entries(found[kind] ?? {})) if (settings && typeof settings === "object") kept[kind][name] = settings
    }
  } catch { /* damaged or switched off: as if nothing were kept */ }
  return kept
}

export function render({model}) {
  const {most, longest} = model.spec
  const said = h("p", {class: "said", role: "status"})

  function keep(kept, line) {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept))
      write(said, line)
    } catch {
      write(said, "This browser keeps nothing: its storage is switched off or full.")
    }
    lists.forEach(({paint}) => paint())
  }

  const lists = Object.entries(TITLES).map(([kind, title]) => {
    const list = h("ul", {"aria-label": `${title} saved in this browser`})
    const entry = h("input", {type: "text", maxlength: longest, autocomplete: "off", spellcheck: "false", "aria-label": `Name of this ${kind}`, placeholder: `Save this ${kind} as…`})
    const save = (event) => {
      event.preventDefault()
      const name = entry.value.trim(), kept = stored()
      if (!name) return write(said, `Give the ${kind} a name to save it.`)
      if (!(name in kept[kind]) && Object.keys(kept[kind]).length >= most) return write(said, `${most} are kept: forget one first.`)
      const {settings} = model.data[kind]
      kept[kind][name] = settings
      keep(kept, `${name} is saved.`)
      model.send_msg({kind, name, settings})
      entry.value = ""
    }
    const row = (name, settings) => h("li", {}, h("button", {class: "name", title: `Use ${name}`, onclick: () => model.send_msg({kind, name, settings})}, name),
      h("button", {class: "forget", "aria-label": `Forget ${name}`, onclick: () => {
        const kept = stored()
        delete kept[kind][name]
        keep(kept, `${name} is forgotten.`)
      }}, icon("M4 4l8 8M12 4l-8 8", 12)))
    return {
      element: h("div", {}, h("h3", {}, title), list, h("form", {onsubmit: save}, entry, h("button", {class: "save"}, "Save"))),
      paint() { list.replaceChildren(...Object.entries(stored()[kind]).map(([name, settings]) => row(name, settings))) },
    }
  })
  lists.forEach(({paint}) => paint())
  return h("section", {"aria-label": "Saved in this browser"}, h("h2", {}, "Saved in this browser"), lists.map(({element}) => element), said)
}
