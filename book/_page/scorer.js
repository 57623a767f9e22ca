// How the search ranks: as Sphinx does, but a place on a page (a section, a theorem, a function)
// whose name was asked for stands before pages on which the words occur.
// biome-ignore lint/correctness/noUnusedVariables: Sphinx's searchtools.js reads it
var Scorer = {
  score: ([, , place, , score]) => (place ? 3 * score : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// What a result shows of its page is prose: no code, no drawing, and of a formula what one line can say.
queueMicrotask(() => {
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const main = page.querySelector('[role="main"]');
    const shown = (anchor && main?.querySelector(anchor)) || main;
    if (!shown) return "";
    for (const math of shown.querySelectorAll("math")) {
      math.replaceWith(
        math.querySelector("mfrac, msup, msubsup, munder, munderover, mover, msqrt, mtable") ? "…" : math.textContent,
      );
    }
    shown
      .querySelectorAll(
        ".headerlink, script, style, template, svg, pre, figure, table, summary, button, input, .chapter-tools, .cell_input, .live-box",
      )
      .forEach((one) => one.remove());
    shown.querySelectorAll("p, li, dd, dt, h1, h2, h3, h4, div").forEach((one) => one.append(" "));
    return shown.textContent.replace(/\s+/g, " ");
  };
});
