// The first visit in three steps. Skippable, remembered in this browser, never shown twice.
{
  const KEY = "scalegrad-toured"
  const dialog = document.getElementById("tour"), steps = [...dialog.querySelectorAll("[data-step]")]
  const next = dialog.querySelector("[data-next]"), count = dialog.querySelector("[data-count]")
  let at = 0

  function show(step) {
    at = step
    steps.forEach((element, index) => { element.hidden = index !== at })
    document.documentElement.dataset.tour = steps[at].dataset.step
    dialog.setAttribute("aria-labelledby", steps[at].querySelector("h2").id)
    count.textContent = `${at + 1} of ${steps.length}`
    next.textContent = at + 1 < steps.length ? "Next" : "Start"
  }

  next.addEventListener("click", () => { if (at + 1 < steps.length) show(at + 1); else dialog.close() })
  dialog.querySelector("[data-skip]").addEventListener("click", () => dialog.close())
  dialog.addEventListener("close", () => {
    delete document.documentElement.dataset.tour
    localStorage.setItem(KEY, "yes")
  })
  if (!localStorage.getItem(KEY)) window.addEventListener("load", () => { show(0); dialog.showModal() })
}
