// From the joined pages to what is printed. Evaluated in the page by pdf.py.
window.forPaper = (() => {
  const DROPPED =
    ".chapter-tools, form.answer, .headerlink, .copybtn, .sd-summary-state-marker, .live-box > script, .only-online, .forms";
  // What the page alone has, and what is printed in its place.
  const LEFT_OUT = [
    ["details.record > :not(summary)", ""],
    ["#checked--concordance-and-ledger > :not(h2)", "The tables stand in the built book."],
    ["#checked--map-of-results > :not(h2)", "The drawing and its list stand in the built book."],
    [
      "#using_the_package--reference > section",
      "The reference stands in the built book, and in each function's docstring.",
    ],
    ["details.solution .cell", "The code stands in the built book."],
  ];
  const REFERRING = ["for", "aria-describedby", "aria-labelledby", "aria-controls"];
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const chapters = all("section.chapter");
  const stems = new Set(chapters.map((chapter) => chapter.id));

  /** A live figure is a place of its own: links name it, with the values of its controls. */
  function nameFigures(chapter) {
    const names = JSON.parse(chapter.dataset.figures);
    for (const view of all(".live-box > script", chapter))
      view.parentElement.id = names[JSON.parse(view.textContent).model_id];
  }

  /** Folds open; of a receipt its line is printed, the code of a figure not at all. */
  function unfold(chapter) {
    for (const fold of all("details.receipt", chapter)) {
      const line = document.createElement("p");
      line.className = "receipt";
      line.append(...fold.querySelector("summary").childNodes);
      fold.replaceWith(line);
    }
    all("details.figure-code", chapter).forEach((fold) => fold.remove());
    for (const fold of all("details", chapter)) fold.open = true;
    for (const summary of all("details.above-code > summary", chapter)) {
      if (summary.textContent.includes("Hide the code"))
        summary.parentElement.replaceWith(...all(":scope > :not(summary)", summary.parentElement));
      else all(".collapsed", summary).forEach((name) => name.remove());
    }
  }

  /** Takes what is left out of the chapter; returns the ids that went with it. */
  function leaveOut(chapter) {
    const gone = [];
    for (const [selector, words] of LEFT_OUT) {
      const parts = all(selector, chapter);
      const places = new Map(parts.map((part) => [part.parentElement, part])); // one sentence each
      for (const part of words ? places.values() : [])
        part.before(Object.assign(document.createElement("p"), { textContent: words }));
      for (const part of parts) {
        gone.push(...[part, ...all("[id]", part)].map((element) => element.id).filter(Boolean));
        part.remove();
      }
    }
    return gone;
  }

  /** A reference to what was left out keeps its words. */
  function unlink(gone) {
    for (const link of all("a[href^='#']"))
      if (gone.has(decodeURIComponent(link.getAttribute("href").slice(1)))) link.replaceWith(...link.childNodes);
  }

  /** Code as text: each of the highlighter's spans would be an element that a reader announces. */
  function plainCode(chapter) {
    const look = (element) =>
      ["fontWeight", "fontStyle", "color"].map((name) => getComputedStyle(element)[name]).join();
    const looks = new Map();
    const lookOf = (span) => looks.get(span.className) ?? looks.set(span.className, look(span)).get(span.className);
    const listings = all(".highlight pre", chapter);
    for (const span of listings.flatMap((listing) =>
      all("span", listing).filter((one) => lookOf(one) === look(listing)),
    ))
      span.replaceWith(...span.childNodes);
    listings.forEach((listing) => listing.normalize());
  }

  /** A reference to an outline becomes a letter of the font that holds it. */
  function letters(chapter) {
    for (const use of all('use[href^="#mx-"]', chapter)) {
      const [, variant, code] = use.getAttribute("href").match(/^#mx-(\w+)-(\w+)$/);
      const letter = document.createElementNS(use.namespaceURI, "text");
      const [x, y] = ["x", "y"].map((name) => use.getAttribute(name) || 0);
      letter.setAttribute("transform", `${use.getAttribute("transform") || ""} translate(${x} ${y}) scale(1 -1)`);
      letter.setAttribute("style", `font: 1000px "mx-${variant}"`);
      letter.setAttribute("class", use.getAttribute("class") ?? ""); // of a formula that is one letter
      letter.textContent = String.fromCodePoint(parseInt(code, 16));
      use.replaceWith(letter);
    }
  }

  /** The words of a formula, for those who hear the PDF: hidden MathML would not be in it. */
  function say(formula) {
    const words = formula.querySelector("math");
    if (!words) return;
    const text = words.textContent.replace(/\s+/g, " ").trim();
    all("svg", formula).forEach((drawing, k) => {
      if (k) return; // the other pieces of a long one
      drawing.removeAttribute("aria-hidden");
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", text);
    });
    words.remove();
  }

  /** Few systems have a font with the heavy mark of the table of executed pages. */
  function plainMarks(chapter) {
    for (const cell of all("td > p", chapter)) if (cell.textContent === "\u2705") cell.textContent = "\u2713";
  }

  /** Ids are unique on their page only: put the page's name before each, and where one is meant. */
  function rename(chapter) {
    const own = (name) => `${chapter.id}--${name}`;
    for (const element of all("*", chapter)) {
      if (element.id) element.id = own(element.id);
      for (const { name, value } of [...element.attributes]) {
        if (REFERRING.includes(name)) element.setAttribute(name, value.split(" ").map(own).join(" "));
        else if (value.includes("url(#")) element.setAttribute(name, value.replaceAll("url(#", `url(#${own("")}`));
        else if (name === "href") element.setAttribute(name, leads(value, chapter));
      }
      if (element.localName === "style") {
        const { id } = element.closest("svg[id]"); // its rules are for this drawing alone
        element.textContent = element.textContent.replaceAll(`#${id.slice(own("").length)}`, `#${id}`);
      }
    }
  }

  /** Chromium's outline loses a blank at which a heading breaks, but not one that may not break. */
  function keepBlanks(heading) {
    const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) if (!texts.currentNode.parentElement.closest("svg, math")) found.push(texts.currentNode);
    for (const text of found) {
      const words = text.data
        .replace(/\s+/g, "\u00a0")
        .split(/(?<=\u00a0)/)
        .flatMap((word) => [word, document.createElement("wbr")]);
      text.replaceWith(...words);
    }
  }

  /** Where a reference leads in the joined pages; unchanged out of the book. */
  function leads(href, chapter) {
    if (/^[a-z]+:/.test(href)) return href;
    const [file, fragment = ""] = href.split("#");
    const [name] = fragment.split(/[=&]/); // what follows are values of controls
    const stem = file ? file.replace(/^.*\/|\.html$/g, "") : chapter.id;
    return stems.has(stem) ? `#${stem}${name ? `--${name}` : ""}` : href;
  }

  /** Parts, chapters and their sections, with their page numbers as far as known. */
  function contents(numbers) {
    const list = document.createElement("ul");
    let part = "";
    for (const chapter of chapters) {
      if (chapter.dataset.part !== part) {
        part = chapter.dataset.part;
        list.append(Object.assign(document.createElement("li"), { className: "part", textContent: part }));
      }
      const sections = document.createElement("ul");
      sections.append(
        ...all("h2", chapter).map((heading) => entry(heading, heading.closest("section[id]").id, numbers)),
      );
      const item = entry(chapter.querySelector("h1"), chapter.id, numbers);
      item.append(sections);
      list.append(item);
    }
    const heading = Object.assign(document.createElement("h1"), { textContent: "Contents" });
    document.querySelector("nav.book-contents").append(heading, list);
  }

  function entry(heading, id, numbers) {
    const link = Object.assign(document.createElement("a"), { href: `#${id}` });
    const name = document.createElement("span");
    name.append(...heading.cloneNode(true).childNodes);
    link.append(
      name,
      Object.assign(document.createElement("span"), { className: "at", textContent: numbers[id] ?? "" }),
    );
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  const described = (element) =>
    `${element.closest("section.chapter")?.id}: ${element.localName}.${element.getAttribute(
      "class",
    )} "${element.textContent.replace(/\s+/g, " ").trim().slice(0, 60)}"`;

  return {
    /** Prepare the pages; `numbers` are page numbers by id. Returns an id for every heading, in order. */
    async prepare(numbers) {
      const gone = new Set();
      for (const chapter of chapters) {
        nameFigures(chapter);
        all(DROPPED, chapter).forEach((element) => element.remove());
        unfold(chapter);
        plainCode(chapter);
        letters(chapter);
        all(".tex, .formula", chapter).forEach(say);
        all("h1, h2, h3, h4", chapter).forEach(keepBlanks);
        plainMarks(chapter);
        rename(chapter);
        for (const id of leaveOut(chapter)) gone.add(id);
      }
      unlink(gone);
      contents(numbers);
      await Promise.all([...document.fonts].map((face) => face.load()));
      return all("h1, h2, h3, h4, h5, h6").map((heading, k) => {
        const chapter = heading.closest("section.chapter");
        if (heading.localName === "h1") return chapter ? chapter.id : "contents";
        return heading.localName === "h2" ? heading.closest("section[id]").id : `other-${k}`;
      });
    },

    /** What would be cut off: beyond the margin, or scrolled away inside its frame. */
    beyondMargin() {
      const edge = document.querySelector("article").getBoundingClientRect().right + 1;
      const faults = [];
      for (const element of all("article *")) {
        const svg = element.closest("svg");
        if ((svg && svg !== element) || !element.getClientRects().length) continue;
        const hidden =
          getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
        if (hidden || element.getBoundingClientRect().right > edge) faults.push(described(element));
      }
      return faults;
    },

    /** References to what is not there. */
    dangling() {
      return all("a[href]")
        .filter((link) => !/^[a-z]+:/.test(link.getAttribute("href")))
        .filter((link) => !document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1))))
        .map((link) => `${link.getAttribute("href")} in ${described(link)}`);
    },
  };
})();
