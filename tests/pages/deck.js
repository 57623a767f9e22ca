// Shows every slide in turn, its folds open: what leaves the stage, and what had to become too small.
async () => {
  const SMALLEST = 0.6; // of the normal size of letters
  const LEGIBLE = 14; // px on the stage: a fiftieth of its height
  const hasText = (part) => [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const faults = [];
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let k = 0; k < Reveal.getTotalSlides(); k++) {
    Reveal.slide(k);
    const slide = Reveal.getCurrentSlide();
    const folds = [...slide.querySelectorAll("details")];
    folds.forEach((fold) => (fold.open = true));
    await drawn();
    const stage = slide.getBoundingClientRect();
    const complain = (what) =>
      faults.push(`slide ${k + 1}, ${slide.querySelector("h1, h2").textContent.trim()}: ${what}`);
    for (const part of slide.querySelectorAll("h1, h2, .kicker, .body *")) {
      if (part.closest("math, .live-hidden, aside") || (part.closest("svg") || part) !== part) continue;
      const { left, right, bottom, width } = part.getBoundingClientRect();
      const out = Math.round(Math.max(stage.left - left, right - stage.right, bottom - stage.bottom));
      if (width && out > 1) complain(`${part.localName}.${part.getAttribute("class")} leaves it by ${out} px`);
      if (part.matches(".formula") && part.scrollWidth > part.clientWidth + 1) complain("a formula is cut off");
    }
    const letters = [...slide.querySelectorAll(".body *")]
      .filter((part) => part.getClientRects().length && hasText(part))
      .filter((part) => !part.closest("math, .live-hidden, .drawing, .formula, .tex, sub, sup"));
    for (const part of letters) {
      const px = parseFloat(getComputedStyle(part).fontSize) * part.currentCSSZoom;
      if (px < LEGIBLE) complain(`${part.localName}.${part.getAttribute("class")} has letters of ${px.toFixed(1)} px`);
    }
    const size = +getComputedStyle(slide).getPropertyValue("--fit");
    if (size < SMALLEST) complain(`letters of ${size} of their size`);
    folds.forEach((fold) => (fold.open = false));
  }
  Reveal.slide(0);
  return faults;
};
