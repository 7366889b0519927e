// Small comforts on pages that answer and measure. Every one of them can fail, and the page still works.
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);

  // 1 to 9 choose an option.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest?.("input:not([type=radio]), select, textarea")) return;
    if (!/^[1-9]$/.test(event.key)) return;
    const option = document.querySelectorAll("label.option input")[Number(event.key) - 1];
    if (!option) return;
    option.checked = true;
    option.focus();
    option.dispatchEvent(new Event("change", { bubbles: true }));
  });

  // «Next» comes to where «Answer» was: the second half of a double click must not skip the verdict.
  document.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest?.("#next")) event.preventDefault();
  });

  // The language switch keeps a choice that was not sent yet.
  document.addEventListener("change", (event) => {
    if (!event.target.matches?.("label.option input")) return;
    for (const link of document.querySelectorAll(".languages a")) {
      const url = new URL(link.href);
      url.searchParams.set("option", event.target.value);
      link.href = url.href;
    }
  });

  // Without a network: say so, and that nothing is lost.
  document.addEventListener("htmx:error", (event) => {
    const words = byId("offline-words");
    if (!event.detail?.ctx?.request || event.detail.ctx.response || !words) return;
    byId("notice").replaceChildren(words.content.cloneNode(true));
  });
  const quieten = () => byId("notice").replaceChildren();
  document.addEventListener("htmx:before:request", quieten);
  window.addEventListener("online", quieten);

  // A swap that took the focused element away hands the focus to what came in its place: the run, or what it
  // measured. Noted as the focus comes: a button that is disabled or hidden has lost it before the swap.
  let placeId = "";
  const note = (event) => {
    placeId = (event.target.closest?.(".live, .why") ?? event.target.closest?.(".run-place"))?.id ?? "";
  };
  document.addEventListener("focusin", note);
  document.addEventListener("pointerdown", note);
  document.addEventListener("htmx:after:swap", () => {
    const place = byId(placeId);
    const run = place?.matches(".run-place") ? place : place?.querySelector(".run-place");
    const focused = document.activeElement ?? document.body;
    const isLost = focused === document.body || (focused === run && !run.childElementCount);
    if (!place || !isLost) return;
    const wrong = place.querySelector("[aria-invalid]");
    const heading = place.querySelector(":is(h2, h4)[tabindex]");
    (run?.childElementCount ? run : wrong ?? heading ?? place).focus({ preventScroll: true });
  });

  // Paper shows what is folded.
  window.addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
})();
