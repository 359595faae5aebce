// The course's reader: contents beside a chapter, live numbers in its text, exercises below. Progress stays in the browser.

const KEPT = "scalegrad-course"

function progress() {
  try { return {read: [], solved: [], ...JSON.parse(localStorage.getItem(KEPT) ?? "{}")} }
  catch { return {read: [], solved: []} }
}

function keep(list, name) {
  const kept = progress()
  if (!kept[list].includes(name)) kept[list].push(name)
  localStorage.setItem(KEPT, JSON.stringify(kept))
}

function letters(markup, kind) {
  const line = h("p", {class: `symbol formula ${kind}`})
  line.innerHTML = markup
  return line
}

function stepRows(rows) {
  return h("dl", {class: "steps"}, rows.map((row) => {
    const short = h("span", {class: "symbol"})
    short.innerHTML = row.html
    return h("div", {}, h("dt", {}, `${row.label} `, short), h("dd", {title: row.full ?? false}, row.value))
  }))
}

function worked({formula, numbers, steps, inputs, found}) {
  return h("div", {class: "worked"}, h("h4", {}, "Worked answer"),
    stepRows(inputs.filter(({quiet}) => !quiet)), steps.length ? stepRows(steps) : null,
    letters(formula, ""), numbers ? letters(numbers, "figures") : null, h("p", {class: "found"}, `= ${found.join("\u2009")}`))
}

function exercise(each, send) {
  const field = h("input", {type: "text", id: `answer-${each.id}`, autocomplete: "off", spellcheck: "false",
    placeholder: each.unit === "1" ? "a number" : `number and ${each.unit}`})
  const said = h("p", {class: "said", role: "status"}), more = h("div", {})
  const done = h("span", {class: "done", "aria-hidden": "true"})
  const form = h("form", {onsubmit: (event) => { event.preventDefault(); send("answer", {id: each.id, text: field.value}) }},
    h("label", {for: field.id}, "Your answer"), field, h("button", {class: "plain"}, "Check"),
    h("button", {type: "button", class: "link", onclick: () => send("hint", {id: each.id})}, "Hint"),
    h("button", {type: "button", class: "link", onclick: () => send("work", {id: each.id})}, "Worked answer"))
  const element = h("details", {class: "exercise", "data-id": each.id}, h("summary", {}, done, each.question),
    each.given.length ? h("p", {class: "muted"}, `Given: ${each.given.join("; ")}.`) : null, form, said, more)
  let shown = ""
  const paint = (reply) => {
    if (reply?.verdict === "right") keep("solved", each.id)
    write(done, progress().solved.includes(each.id) ? "✓" : "")
    const text = JSON.stringify(reply ?? {})
    if (text === shown) return
    shown = text
    write(said, reply?.words ?? "")
    said.className = `said ${reply?.verdict ?? ""}`
    more.replaceChildren(...[
      reply?.hints ? h("div", {class: "hints"}, h("p", {}, reply.hints[0]), letters(reply.hints[1], "")) : null,
      reply?.worked ? worked(reply.worked) : null].filter(Boolean))
  }
  return {id: each.id, element, paint}
}

export function render({model}) {
  const {chapters, labs} = model.spec
  const send = (kind, more) => model.send_msg({kind, ...more})
  const entry = (each, words) => h("button", {type: "button", "data-part": each.slug, onclick: () => send("open", {part: each.slug})},
    h("span", {class: "number"}, words), h("span", {}, each.title), h("span", {class: "tick", "aria-hidden": "true"}))
  const entries = chapters.map((each) => entry(each, String(each.number)))
  const total = h("p", {class: "muted total"})
  const wide = matchMedia("(min-width: 900px)")
  const folds = h("details", {class: "contents"}, h("summary", {}, "Contents"),
    h("nav", {"aria-label": "Chapters"}, h("h2", {}, "Chapters"), entries, h("h2", {}, "Labs"), labs.map((each) => entry(each, String(each.number)))), total)
  folds.open = wide.matches
  const article = h("article", {})
  let open = "", exercises = []

  const tick = () => {
    const kept = progress()
    entries.forEach((button) => {
      const read = kept.read.includes(button.dataset.part)
      mark(button, "aria-current", button.dataset.part === model.data.slug ? "page" : null)
      write(button.lastChild, read ? "✓" : "")
      button.title = read ? "Read" : ""
    })
    write(total, `${kept.read.length} of ${chapters.length} chapters read, ${kept.solved.length} exercises solved. Kept in this browser only.`)
  }

  const build = () => {
    const {slug, number, title, aim, link, html, lab, next, exercises: set} = model.data
    const text = h("div", {class: "text"})
    text.innerHTML = html
    text.querySelectorAll("a").forEach((anchor) => { anchor.target = "_blank"; anchor.rel = "noopener" })
    text.addEventListener("click", (event) => {
      const live = event.target.closest(".live")
      if (live) send("live", {number: Number(live.dataset.number)})
    })
    exercises = set.map((each) => exercise(each, send))
    const read = h("button", {type: "button", class: "plain", onclick: () => { keep("read", slug); tick(); write(read, "Read ✓") }},
      progress().read.includes(slug) ? "Read ✓" : "Mark as read")
    article.replaceChildren(...[
      h("p", {class: "muted"}, `Chapter ${number}`), h("h1", {}, title), h("p", {class: "aim"}, aim),
      h("p", {class: "credit"}, h("a", {href: link, target: "_blank", rel: "noopener"}, `Read the original: “How to Scale Your Model”, ${title}`)),
      text,
      lab ? h("section", {class: "lab"}, h("p", {class: "muted"}, `Lab ${lab.number} of ${labs.length}`), h("h2", {}, lab.title), h("p", {}, lab.aim),
        h("button", {type: "button", class: "main", onclick: () => send("open", {part: lab.slug})}, "Open the lab")) : null,
      set.length ? h("section", {class: "exercises"}, h("h2", {}, "Exercises", h("small", {}, `${set.length}, from the book's worked problems; right within 2 %`)),
        exercises.map(({element}) => element)) : null,
      h("p", {class: "ways"}, read, next ? h("button", {type: "button", class: "link", onclick: () => { keep("read", slug); send("open", {part: next.slug}) }}, `Next: ${next.title}`) : null),
    ].filter(Boolean))
  }

  const paint = () => {
    if (!model.data.slug) return  // A lab is open.
    if (model.data.slug !== open) {
      const first = !open
      open = model.data.slug
      build()
      if (!wide.matches) folds.open = false
      if (!first) document.querySelector("main")?.scrollTo(0, 0)
    }
    exercises.forEach(({id, paint: show}) => show(model.data.replies[id]))
    tick()
  }
  model.on("change:data", paint)
  paint()
  return h("div", {class: "reader"}, folds, article)
}
