// What no style sheet can do. The page reads well without it.
"use strict";

// A formula, table or listing that scrolls sideways must be within reach of the keyboard.
const scrollers = document.querySelectorAll("div.formula, .drawing-frame, article pre, .pst-scrollable-table-container");
const reach = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) {
      target.tabIndex = 0;
      target.setAttribute("role", "group");
      target.setAttribute("aria-label", "scrolls sideways");
    } else if (target.getAttribute("aria-label") === "scrolls sideways") {
      for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
    }
  }
});
scrollers.forEach((element) => reach.observe(element));

// Folds are open on paper, and where the address points into one.
const folds = () => document.querySelectorAll("article details");
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...folds()].filter((fold) => !fold.open);
  opened.forEach((fold) => (fold.open = true));
});
addEventListener("afterprint", () => opened.forEach((fold) => (fold.open = false)));
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = target && target.closest("details:not([open])");
  if (!closed) return;
  for (let fold = closed; fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();

// The path "every proof": one button for all folds.
const all = document.querySelector("button.unfold-all");
if (all) {
  all.hidden = false;
  all.addEventListener("click", () => {
    const open = all.textContent.startsWith("Unfold");
    all.textContent = open ? "Fold every proof" : "Unfold every proof";
    document.querySelectorAll("details.proof").forEach((fold) => (fold.open = open));
  });
}
