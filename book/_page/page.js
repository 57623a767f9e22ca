// What no style sheet can do. The page reads well without it.
"use strict";

// A formula, table or listing that scrolls sideways must be within reach of the keyboard, and shows
// by a fading edge that it goes on. All are measured before any is changed: one layout, not many.
const scrollers = document.querySelectorAll(
  "div.formula, .drawing-frame, article pre, .pst-scrollable-table-container",
);
const measure = (box) => ({ box, at: box.scrollLeft, room: box.scrollWidth - box.clientWidth });
const tell = ({ box, at, room }) => {
  const more = [at > 1 && "left", room - at > 1 && "right"].filter(Boolean).join(" ");
  if (more) {
    box.dataset.more = more;
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "scrolls sideways");
  } else if (box.dataset.more) {
    delete box.dataset.more;
    for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
  }
};
const reach = new ResizeObserver((entries) => entries.map(({ target }) => measure(target)).forEach(tell));
for (const box of scrollers) {
  reach.observe(box);
  box.addEventListener("scroll", () => tell(measure(box)), { passive: true });
}

// Folds are open on paper, and where the address points into one.
/** @returns {NodeListOf<HTMLDetailsElement>} */
const folds = () => document.querySelectorAll("article details");
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...folds()].filter((fold) => !fold.open);
  opened.forEach((fold) => (fold.open = true));
});
addEventListener("afterprint", () => opened.forEach((fold) => (fold.open = false)));
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  /** @type {HTMLDetailsElement} */
  const closed = target?.closest("details:not([open])");
  if (!closed) return;
  for (let fold = closed; fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();

// The contents make room for receipts in the margin; the pointer brings them back.
const contents = document.querySelector(".bd-sidebar-secondary");
if (contents) {
  const beside = new Set();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) beside[isIntersecting ? "add" : "delete"](target);
      contents.classList.toggle("hide", beside.size > 0);
    },
    { rootMargin: "0px 0px -33% 0px" },
  );
  document.querySelectorAll("details.receipt").forEach((receipt) => watch.observe(receipt));
}

// The path "every proof": one button for all folds.
/** @type {HTMLButtonElement} */
const all = document.querySelector("button.unfold-all");
if (all) {
  all.hidden = false;
  all.addEventListener("click", () => {
    const open = all.textContent.startsWith("Unfold");
    all.textContent = open ? "Fold every proof" : "Unfold every proof";
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const proofs = document.querySelectorAll("details.proof");
    for (const proof of proofs) proof.open = open;
  });
}
