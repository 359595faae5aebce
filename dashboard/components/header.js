// The head of the page. It alone writes the browser's address: a new entry for a new page, else the present one replaced.

const ICONS = {
  undo: "M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6",
  redo: "M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8H10",
  list: "M2.5 4h11M2.5 8h11M2.5 12h7",
  link: "M6.8 9.2a3 3 0 0 0 4.3 0l2.2-2.2a3 3 0 0 0-4.3-4.3L8 3.7M9.2 6.8a3 3 0 0 0-4.3 0L2.7 9A3 3 0 0 0 7 13.3l1-1",
  shell: "M2 3.5h12v9H2zM4.5 6.5L6.5 8l-2 1.5M8 10h3",
  save: "M8 2.5v7M5 6.5l3 3 3-3M2.5 13h11",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6Z",
  sun: "M8 5.2a2.8 2.8 0 1 0 .01 0M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
}
const SETTLED = 300

function tool(name, label, text, onclick) {
  return h("button", {class: "tool", "aria-label": label, title: label, "data-tool": name, onclick}, icon(ICONS[name]),
    text && h("span", {class: "word"}, text))
}

function logo() {
  const drawing = icon("M1.8 2.5H14.2L8 13.6z", 22)
  const half = icon("M8 2.5H14.2L8 13.6z").firstChild
  half.setAttribute("class", "half")
  drawing.prepend(half)
  return drawing
}

function address(query) {
  return query ? `${location.pathname}?${query}` : location.pathname
}

export function render({model}) {
  const send = (kind, more = {}) => model.send_msg({kind, ...more})
  const said = h("span", {class: "unseen", role: "status"})
  const links = new Map(model.spec.pages.map(({slug, title}) => [slug, h("a", {
    class: "tab",
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      send("open", {page: slug})
    },
  }, title)]))
  const copy = async (button, text, what) => {
    try {
      await navigator.clipboard.writeText(text)
      write(said, `${what} copied`)
      button.classList.add("done")
      setTimeout(() => button.classList.remove("done"), 1600)
    } catch {
      window.prompt(`Copy the ${what.toLowerCase()}:`, text)
    }
  }
  const undo = tool("undo", "Undo", "", () => send("undo")), redo = tool("redo", "Redo", "", () => send("redo"))
  const values = tool("list", "All values", "All values", () => document.dispatchEvent(new CustomEvent("scalegrad:values")))
  const share = tool("link", "Copy link", "Copy link", () => copy(share, new URL(address(model.data.query), location.href).href, "Link"))
  const shell = tool("shell", "Copy as command", "", () => copy(shell, model.data.command, "Command"))
  const save = tool("save", "Export as one file", "", () => { save.disabled = true; send("export") })
  const theme = tool("moon", "Dark theme", "", () => paintTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true))

  function paintTheme(name, chosen) {
    document.documentElement.dataset.theme = name
    const label = name === "dark" ? "Light theme" : "Dark theme"
    theme.replaceChildren(icon(ICONS[name === "dark" ? "sun" : "moon"]))
    theme.title = label
    mark(theme, "aria-label", label)
    if (chosen) localStorage.setItem("scalegrad-theme", name)
    document.cookie = `scalegrad-theme=${name};path=/;max-age=31536000;samesite=strict`
    if (name !== model.data.theme) send("theme", {theme: name})
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.composedPath()[0].matches?.("input[type=text], input[type=search], textarea")
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || typing) return
    event.preventDefault()
    send(event.shiftKey ? "redo" : "undo")
  })

  const open = () => `${model.data.page} ${model.data.part}`
  let saved = 0
  /** Hand a finished report to the browser as a file, once. */
  function download({serial, html}) {
    if (serial === saved) return
    saved = serial
    save.disabled = false
    const link = h("a", {href: URL.createObjectURL(new Blob([html], {type: "text/html"})), download: "scalegrad.html"})
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60000)
    write(said, "Page exported")
  }

  let settling, page = open()
  window.addEventListener("popstate", () => send("travel", {query: location.search}))
  const keepAddress = () => {
    const {query} = model.data, now = open(), target = address(query)
    clearTimeout(settling)
    if (location.pathname + location.search === target) { page = now; return }
    if (now !== page) {
      page = now
      history.pushState(null, "", target)
    } else {
      settling = setTimeout(() => history.replaceState(null, "", target), SETTLED)
    }
  }

  const paint = () => {
    const {page: now, links: queries, undo: canUndo, redo: canRedo} = model.data
    for (const {slug, knobs} of model.spec.pages) {
      mark(links.get(slug), "href", address(queries[slug]))
      mark(links.get(slug), "aria-current", slug === now ? "page" : null)
      if (slug === now) mark(document.body, "data-knobs", knobs ? "shown" : "none")
    }
    undo.disabled = !canUndo
    redo.disabled = !canRedo
    if (model.data.report) download(model.data.report)
    keepAddress()
  }
  model.on("change:data", paint)
  paint()
  paintTheme(document.documentElement.dataset.theme, false)
  return h("div", {class: "head"},
    h("span", {class: "logo"}, logo(), "Scalegrad"),
    h("nav", {"aria-label": "Pages"}, [...links.values()]),
    h("div", {class: "tools"}, undo, redo, values, share, shell, save, theme, said))
}
