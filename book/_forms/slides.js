// Runs the deck: fits every slide to the stage, then hands over to reveal.js.
"use strict";

const WIDTH = 1280;
const HEIGHT = 720;
const FOOT = 50; // for the number and the arrows
const [LARGE, SMALL, SMALLEST] = [1.2, 0.86, 0.6]; // of the normal size of letters
const SHORT = 0.6; // of the height: what ends above it has large letters
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// ---- what is too long goes on, on a slide of its own --------------------------------------------------

function bottom(slide) {
  const body = slide.querySelector(".body");
  return body ? body.getBoundingClientRect().bottom - slide.getBoundingClientRect().top : 0;
}

const tooTall = (slide) => bottom(slide) > HEIGHT - FOOT;

/** What may move to the next slide: the items of lists and tables, and the other blocks. */
const units = (slide) =>
  [...slide.querySelector(".body").children].flatMap((block) => {
    const items = block.matches("ul, ol") ? [...block.children] : all("tbody > tr", block);
    return items.length > 1 ? items : [block];
  });

/** The next slide: the same heading, an empty body. */
function continued(slide) {
  const next = slide.cloneNode(false);
  next.append(...all(":scope > .kicker, :scope > h2", slide).map((part) => part.cloneNode(true)));
  const heading = next.querySelector("h2");
  if (!heading.querySelector(".continued"))
    heading.insertAdjacentHTML("beforeend", ' <span class="continued">(continued)</span>');
  const body = slide.querySelector(".body").cloneNode(false);
  next.append(body);
  slide.after(next);
  return next;
}

/** Put a unit at the front of a body, inside a copy of the list or table that it is from. */
function moveTo(body, unit) {
  if (unit.parentElement.matches(".body")) {
    body.prepend(unit);
    return;
  }
  const whole = unit.closest(".body > *");
  let copy = body.firstElementChild;
  if (copy?.copyOf !== whole) {
    copy = whole.cloneNode(true);
    copy.copyOf = whole;
    (copy.querySelector("tbody") || copy).replaceChildren();
    body.prepend(copy);
  }
  (copy.querySelector("tbody") || copy).prepend(unit);
}

function fit(slide) {
  const size = (value) => slide.style.setProperty("--fit", value.toFixed(2));
  const shrink = (to) => {
    for (let value = 1; tooTall(slide) && value > to; size(value)) value -= 0.02;
  };
  if (!slide.matches(".figure, .title")) {
    size(LARGE);
    if (bottom(slide) <= SHORT * HEIGHT && !all(".formula", slide).some(isCut)) return;
  }
  size(1);
  shrink(SMALL);
  if (!tooTall(slide)) return;
  size(1);
  if (units(slide).length > 1) {
    const next = continued(slide);
    while (tooTall(slide) && units(slide).length > 1) moveTo(next.querySelector(".body"), units(slide).pop());
    fit(next);
  }
  shrink(SMALLEST);
}

const isCut = (formula) => formula.scrollWidth > formula.clientWidth + 1;

/** A formula wider than the slide is drawn smaller. */
function narrow(formula) {
  const share = formula.clientWidth / formula.scrollWidth;
  if (share < 1) formula.style.fontSize = `${Math.floor(share * 98)}%`;
}

// ---- keys ---------------------------------------------------------------------------------------------

/** Whether the deck may have a key: a live figure, a fold and a link need theirs. */
function forDeck(event) {
  const focused = document.activeElement;
  if (focused.closest(".live-fig, .ex-fig")) {
    if (event.key === "Escape") focused.blur();
    return false;
  }
  return !(focused.closest("summary, a, button") && [" ", "Enter"].includes(event.key));
}

/** What a presenter's remote sends turns the slide, also from a figure that was moved. */
function turn(event) {
  const way = { PageUp: "prev", PageDown: "next" }[event.key];
  if (!way || !document.activeElement.closest(".live-fig, .ex-fig")) return;
  event.preventDefault();
  event.stopPropagation();
  Reveal[way]();
}

function toggleTheme() {
  const { dataset } = document.documentElement;
  dataset.theme = dataset.theme === "dark" ? "light" : "dark";
}

// Measured with the letters that will be shown, not with those of a first moment.
Promise.all([...document.fonts].map((face) => face.load())).then(() => {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  all(".frame .formula").forEach(narrow);
  all("details").forEach((fold) => (fold.open = true)); // there is room for them as well
  all(".frame").forEach(fit);
  all("details").forEach((fold) => (fold.open = false));
  all(".frame").forEach((slide, k) => {
    const heading = slide.querySelector("h1, h2");
    heading.id = `heading-${k + 1}`;
    slide.setAttribute("aria-labelledby", heading.id);
  });
  for (const link of all(".frame a[href]")) Object.assign(link, { target: "_blank", rel: "noopener" });
  document.documentElement.classList.add("is-deck");
  Reveal.initialize({
    width: WIDTH,
    height: HEIGHT,
    margin: 0,
    center: false,
    hash: true,
    slideNumber: "c/t",
    transition: calm ? "none" : "slide",
    transitionSpeed: "fast",
    keyboardCondition: forDeck,
    plugins: [RevealNotes],
  }).then(() => {
    Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, toggleTheme);
    addEventListener("keydown", turn, { capture: true }); // before the figure has it
    Reveal.on("slidechanged", () => document.activeElement.blur());
    document.documentElement.dataset.deck = "ready";
  });
});
