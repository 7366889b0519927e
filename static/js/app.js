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

  // A swap that takes the focused element away hands the focus to the place where it was. The browser itself
  // moves the focus to the body only at the next frame, so that is when to look.
  let wasInRegion = false;
  document.addEventListener("htmx:before:request", () => {
    wasInRegion ||= Boolean(document.activeElement?.closest("#evidence"));
  });
  document.addEventListener("htmx:after:swap", () => {
    if (!wasInRegion) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const focused = document.activeElement;
      const isGone = !focused || focused === document.body || focused.checkVisibility?.() === false;
      const isEmpty = focused?.id === "run" && !focused.childElementCount;
      if (!isGone && !isEmpty) return;
      const target = byId("run")?.childElementCount ? byId("run") : byId("why");
      target?.focus({ preventScroll: true });
    }));
  });
  document.addEventListener("focusin", (event) => {
    if (!event.target.closest("#evidence")) wasInRegion = false;
  });

  // Paper shows what is folded.
  window.addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
})();
