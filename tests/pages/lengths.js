// What a reader has to read on one page, and how tall it is, folds closed and open.
// The main line runs from the title to "What is now known" and leaves out what is folded;
// a formula counts as one word, pictures and their legends as none, and a field for an answer has no height.
() => {
  const article = document.querySelector("article.bd-article");
  const end = [...article.querySelectorAll("h2")].find((h) => /What is now known/.test(h.textContent));
  const before = (node) => !end || node.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING;
  const APPARATUS = ".headerlink, .chapter-tools, form.answer, script, style, svg, .live-box, math, .bibtex-preview";

  // The text of the article without what `drop` names; `keep` chooses among the places that are left.
  const words = (drop, keep) => {
    const counts = { prose: 0, statements: 0, code: 0 };
    const walk = (node, kind) => {
      if (node.nodeType === Node.TEXT_NODE) {
        if (keep(node)) counts[kind] += node.data.split(/\s+/).filter((w) => /[\p{L}\p{N}]/u.test(w)).length;
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      if (node.matches(".tex, .tex-display")) {
        if (keep(node)) counts[kind] += 1;
        return;
      }
      if (node.matches(APPARATUS) || drop(node)) return;
      if (node.matches(".cell_input, .cell_output > .output, pre")) kind = "code";
      else if (node.matches("div.proof")) kind = "statements";
      node.childNodes.forEach((child) => walk(child, kind));
    };
    walk(article, "prose");
    return counts;
  };
  const folded = (node) => node.parentElement?.matches("details") && !node.matches("summary");
  const main = words(folded, before);
  const all = words(
    () => false,
    () => true,
  );

  const folds = [...article.querySelectorAll("details")];
  const boxes = (selector) =>
    [...article.querySelectorAll(selector)]
      .filter((e) => !e.closest("details") && e.getClientRects().length)
      .map((e) => e.getBoundingClientRect());
  folds.forEach((fold) => {
    fold.open = false;
  });
  article.querySelectorAll("form.answer").forEach((form) => {
    form.style.display = "none";
  });
  const top = article.getBoundingClientRect().top;
  const closed = article.getBoundingClientRect().height;
  const outermost = ".cell_input, .cell_output > .output:not(.text_html):not(:has(.live-box, img, svg))";
  const code = boxes(outermost).reduce((sum, box) => sum + box.height, 0);
  const pictures = boxes("figure, .cell_output img")
    .map((box) => [box.top - top, box.bottom - top])
    .sort((a, b) => a[0] - b[0]);
  const last = end ? end.getBoundingClientRect().top - top : closed;
  let dark = 0,
    seen = 0;
  for (const [from, to] of [...pictures.filter((p) => p[0] < last), [last, last]]) {
    dark = Math.max(dark, from - seen);
    seen = Math.max(seen, to);
  }
  folds.forEach((fold) => {
    fold.open = true;
  });
  const open = article.getBoundingClientRect().height;
  const sum = (counts) => counts.prose + counts.statements + counts.code;
  return {
    main: sum(main),
    prose: main.prose,
    statements: main.statements,
    code: main.code,
    all: sum(all),
    height: Math.round(closed),
    height_open: Math.round(open),
    code_height: Math.round(code),
    dark: Math.round(dark),
  };
};
