// A select of tables, and a CSV taken from a file or a drop. What is too large or no text is refused here.

export function render({model}) {
  const {limit} = model.spec
  const select = h("select", {id: "runs", onchange: () => model.send_msg({kind: "choose", key: select.value})})
  const line = h("span"), said = h("p", {class: "said", role: "status"}, line)
  const chooser = h("input", {type: "file", class: "unseen", id: "runs-file", accept: ".csv,text/csv,text/plain", onchange: () => take(chooser.files[0])})
  let shown = ""

  function say(text, refused, busy = false) {
    write(line, text)
    said.classList.toggle("refused", refused)
    said.classList.toggle("busy", busy)
  }

  async function take(file) {
    if (!file) return
    const {name, size} = file
    if (size > limit) {
      say(`${name}: is ${size.toLocaleString("en")} bytes, more than ${limit.toLocaleString("en")}; send fewer runs, for instance only final losses`, true)
    } else {
      try {
        const text = new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer())
        say("Reading…", false, true)
        model.send_msg({kind: "read", text, file: name})
      } catch {
        say(`${name}: is not UTF-8 text; save the table as plain CSV`, true)
      }
    }
    chooser.value = ""
  }

  const paint = () => {
    const {options, chosen, line: text, refused, busy} = model.data
    const listed = JSON.stringify(options)
    if (listed !== shown) {
      select.replaceChildren(...options.map(([label, items]) => h("optgroup", {label}, items.map(([value, title]) => h("option", {value}, title)))))
      shown = listed
    }
    select.value = chosen
    say(text, refused, busy)
  }
  model.on("change:data", paint)
  paint()
  const entry = h("div", {class: "entry"},
    h("div", {class: "picker"}, h("label", {for: "runs"}, "Runs"), select, icon("M4 6l4 4 4-4", 14)),
    h("label", {class: "file"}, "Choose a CSV", chooser))
  const section = h("section", {"aria-label": "Runs"},
    h("div", {class: "top"}, h("div", {}, h("h2", {}, "Fitted to"),
      h("p", {class: "about"}, "Rows of params, flop, loss; drop a CSV here, or choose one.")), entry), said)
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    section.addEventListener(kind, (event) => {
      event.preventDefault()
      section.classList.toggle("over", kind === "dragenter" || kind === "dragover")
      if (kind === "drop") take(event.dataTransfer.files[0])
    })
  }
  return section
}
