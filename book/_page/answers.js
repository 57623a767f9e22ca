// What a reader answers: a prediction (chips), a choice (folds of "Check yourself"), a number of an
// exercise (book/_ext/answers.py). It is remembered on this device alone. The page reads without it.
"use strict";

{
  const KEY = "answers";
  const page = document.querySelector("article.bd-article");
  const name = page
    ? location.pathname
        .split("/")
        .pop()
        .replace(/\.html$/, "")
    : "";
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? "{}")[name] ?? {};
  } catch {
    /* no storage, or not ours: nothing is remembered */
  }
  const keep = (what, value) => {
    kept[what] = value;
    try {
      const all = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      localStorage.setItem(KEY, JSON.stringify({ ...all, [name]: kept }));
    } catch {
      /* as above */
    }
  };

  /** "2 of 5 right" behind a heading. */
  const tally = (heading, right, count) => {
    let shown = heading.querySelector(".tally");
    if (!shown) {
      shown = document.createElement("span");
      shown.className = "tally";
      shown.setAttribute("role", "status");
      heading.append(shown);
    }
    shown.textContent = right.length ? ` ${right.filter(Boolean).length} of ${count} right` : "";
  };

  // Predictions: the entries of a list are chips, of which one is chosen.
  page?.querySelectorAll(".predict ul").forEach((list, number) => {
    const chips = [...list.children].map((entry) => {
      const chip = document.createElement("button");
      chip.type = "button";
      const inside =
        entry.children.length === 1 && entry.firstElementChild.tagName === "P" ? entry.firstElementChild : entry;
      chip.append(...inside.childNodes);
      entry.replaceChildren(chip);
      return chip;
    });
    const choose = (index) => chips.forEach((chip, at) => chip.setAttribute("aria-pressed", String(at === index)));
    chips.forEach((chip, at) =>
      chip.addEventListener("click", () => {
        choose(at);
        keep(`predict ${number + 1}`, at);
      }),
    );
    choose(kept[`predict ${number + 1}`] ?? -1);
  });

  // Choices: a fold that opens says whether it was right; the first of a question counts.
  const section = page?.querySelector("#check-yourself");
  if (section) {
    const groups = [];
    for (const fold of section.querySelectorAll(":scope > details.fold")) {
      if (fold.previousElementSibling?.matches("details.fold")) groups.at(-1).push(fold);
      else groups.push([fold]);
    }
    const questions = groups.filter((folds) => folds.length > 1); // one fold alone is an answer, no choice
    const heading = section.querySelector("h2");
    const isRight = (fold) => /^\s*Right\b/.test(fold.querySelector(".sd-card-body")?.textContent ?? "");
    const firsts = () => questions.map((_, at) => kept[`choice ${at + 1}`]).filter((said) => said !== undefined);
    questions.forEach((folds, at) =>
      folds.forEach((fold) =>
        fold.addEventListener("toggle", () => {
          if (!fold.open || fold.dataset.said) return;
          fold.dataset.said = isRight(fold) ? "right" : "wrong";
          if (printing) return;
          if (kept[`choice ${at + 1}`] === undefined) keep(`choice ${at + 1}`, isRight(fold));
          tally(heading, firsts(), questions.length);
        }),
      ),
    );
    if (firsts().length) tally(heading, firsts(), questions.length);
  }
  let printing = false;
  addEventListener("beforeprint", () => (printing = true));
  addEventListener("afterprint", () => (printing = false));

  // Numbers: 0.6533, 375/574, 65 %, several with spaces between.
  const number = (text) => {
    const found = /^([-−+]?[\d.]+(?:e[-−+]?\d+)?)(?:\/([\d.]+))?(%?)$/i.exec(text.replaceAll("−", "-"));
    return found ? Number(found[1]) / Number(found[2] ?? 1) / (found[3] ? 100 : 1) : NaN;
  };
  const near = (given, wanted) =>
    given.length === wanted.length && given.every((value, at) => Math.abs(value - wanted[at][0]) <= wanted[at][1]);
  const count = (many) => (many === 1 ? "one number is" : `${many} numbers are`);
  /** What to say of a text: [right, words]; right is null where nothing could be judged. */
  const judge = (text, { wanted, mistakes }) => {
    const parts = text
      .replace(/\s*([/%])/g, "$1")
      .replace(/\/\s+/g, "/")
      .split(/[\s;]+|,\s+/)
      .filter(Boolean);
    const given = parts.map(number);
    const odd = parts[given.findIndex((value) => !Number.isFinite(value))];
    if (!parts.length) return [null, `${count(wanted.length)} wanted`];
    if (odd !== undefined) return [null, `“${odd}” is no number; write 0.65, 375/574 or 65 %`];
    if (given.length !== wanted.length)
      return [null, `${count(wanted.length)} wanted, ${given.length} came; put spaces between`];
    if (near(given, wanted)) return [true, "right"];
    const own = mistakes.find(([, values]) => near(given, values));
    return [false, own ? `not yet: ${own[0]}` : "not yet"];
  };
  /** @type {HTMLFormElement[]} */
  const forms = Array.from(page?.querySelectorAll("form.answer") ?? []);
  const exercises = forms[0]?.closest("section:has(> h2)")?.querySelector("h2");
  const done = () =>
    forms
      .map((form) => kept[form.dataset.exercise])
      .filter(Boolean)
      .map(({ right }) => right);
  const count_up = () => exercises && tally(exercises, done(), forms.length);
  for (const form of forms) {
    const field = form.querySelector("input");
    const said = form.querySelector("output");
    const spec = JSON.parse(form.dataset.answer);
    const say = (right, words) => {
      form.dataset.said = right ? "right" : right === null ? "" : "wrong";
      said.textContent = `${right ? "✓" : right === null ? "–" : "✗"} ${words}`;
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [right, words] = judge(field.value, spec);
      say(right, words);
      if (right === null) return;
      keep(form.dataset.exercise, { text: field.value, right });
      count_up();
    });
    const before = kept[form.dataset.exercise];
    if (before) {
      field.value = before.text;
      say(...judge(before.text, spec));
    }
  }
  if (done().length) count_up();
}
