// Two tables: published speed-ups beside the prediction, and which whole-weight kernels compiled.

function speedups({limits, rows, source, notes}, note, load) {
  const heads = ["Published row", "m", "d", "f", "E", "measured"].map((text, at) => h("th", {scope: "col", rowspan: 2, class: at ? "number" : ""}, text))
  const groups = limits.map((limit) => h("th", {scope: "colgroup", colspan: 2, class: "number"}, limit))
  const parts = limits.flatMap(() => [h("th", {scope: "col", class: "number"}, "predicted"), h("th", {scope: "col", class: "number"}, "error")])
  const body = rows.map(({id, shape, measured, predicted, note}) => {
    const name = predicted.length ? h("button", {class: "load", title: `Load this shape into the knobs${note ? ` (${note})` : ""}`, onclick: () => load(id)}, id) : id
    const cells = predicted.length
      ? [...shape.map((size) => h("td", {class: "number"}, size)), h("td", {class: "number"}, `${measured}×`),
         ...predicted.flatMap(([value, error]) => [h("td", {class: "number"}, `${value}×`), h("td", {class: "number"}, error)])]
      : [h("td", {colspan: 4, class: "left"}, "not in full"), h("td", {class: "number"}, `${measured}×`), h("td", {colspan: 4, class: "left"}, `left out: ${note}`)]
    return h("tr", {}, h("th", {scope: "row"}, name), cells)
  })
  return h("section", {class: "speedups", "aria-labelledby": "speedups"},
    h("h2", {id: "speedups"}, "Published speed-ups", h("small", {title: source}, "TPU v5e, bf16; the first row fixes the efficiency of ragged_dot")),
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "speedups"},
      h("table", {}, h("thead", {}, h("tr", {}, heads, groups), h("tr", {}, parts)), h("tbody", {}, body))),
    h("p", {class: "remark"}, notes, " ", h("strong", {}, note)))
}

function fits({d_model, d_ff, fits: cells, source, intervals}) {
  const head = h("tr", {}, h("th", {scope: "col"}, "d \\ f"), d_ff.map((width) => h("th", {scope: "col", class: "number"}, width.toLocaleString("en"))))
  const body = cells.map((row, at) => h("tr", {}, h("th", {scope: "row"}, d_model[at].toLocaleString("en")),
    row.map((ok) => h("td", {class: `number ${ok ? "ok" : "oom"}`}, ok ? "OK" : "OOM"))))
  return h("section", {class: "fits", "aria-labelledby": "fits"},
    h("h2", {id: "fits"}, "What compiled", h("small", {title: source}, "whole weights, float32, “12MB”")),
    h("table", {}, h("thead", {}, head), h("tbody", {}, body)),
    h("p", {class: "remark"}, `All ${cells.flat().length} cells follow from 4 (3 d f + 4 block_m d) bytes for ${intervals.join(", and ")}.`))
}

export function render({model}) {
  const {speedups: published, fits: compiled, note} = model.spec
  return h("div", {class: "evidence"},
    speedups(published, note, (id) => model.send_msg({id})), fits(compiled))
}
