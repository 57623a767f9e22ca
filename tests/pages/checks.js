// The parts of checks.py that look at the document. Each returns a list of faults.
"use strict";

const all = (selector) => [...document.querySelectorAll(selector)];
const start = (element) => element.outerHTML.slice(0, 120);

const RAW_TEX = /\\\(|\\\[|\$\$|\\(?:frac|begin|mathbb|Lambda|Gamma|sigma|operatorname)\b|(?<!\\)\$[^$\n]{1,60}\$/;

window.pageChecks = {
  mathematics() {
    const faults = [];
    const whole = (svg) => !svg.parentElement.closest("svg"); // a bar over a letter is an svg within
    for (const svg of all(".tex svg, .formula > svg").filter((e) => e.checkVisibility() && whole(e))) {
      const box = svg.getBoundingClientRect();
      if (box.width < 1 || box.height < 1) faults.push(`no extent: ${svg.parentNode.textContent}`);
    }
    for (const use of all(".tex use, .formula use")) {
      const outline = use.getAttribute("href");
      if (!document.getElementById(outline.slice(1))) faults.push(`no outline ${outline}`);
    }
    for (const formula of all(".tex, .formula")) {
      if (!formula.querySelector("math")) faults.push(`no MathML: ${formula.textContent}`);
      if (formula.querySelector("merror, code")) faults.push(`not typeset: ${formula.textContent}`);
    }
    const root = document.querySelector("article") ?? document.body;
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const text = walk.currentNode;
      if (RAW_TEX.test(text.data) && !text.parentElement.closest("pre, code, script, style, math")) {
        faults.push(`raw TeX: ${text.data.trim().slice(0, 80)}`);
      }
    }
    return faults;
  },

  alternatives() {
    const faults = [];
    for (const e of all("img, [role=img], svg, canvas")) {
      if (e.closest("[aria-hidden=true]") || e.parentElement.closest("svg")) continue;
      const attribute = e.tagName === "IMG" ? "alt" : "aria-label";
      const title = e.querySelector(":scope > title")?.textContent;
      const name = e.getAttribute(attribute) || e.getAttribute("aria-labelledby") || title;
      if (!name?.trim()) faults.push(`no text alternative: ${start(e)}`);
    }
    return faults;
  },

  sideways() {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const clipped = (e) => {
      for (e = e.parentElement; e && e !== document.body; e = e.parentElement) {
        if (getComputedStyle(e).overflowX !== "visible") return true;
      }
      return false;
    };
    const wide = all("body *").filter(
      (e) => e.getBoundingClientRect().right > width + 1 && e.checkVisibility() && !clipped(e),
    );
    return wide.length ? wide.slice(0, 5).map((e) => `too wide: ${start(e)}`) : ["scrolls sideways"];
  },

  /** What scrolls sideways without saying so: a fading edge, and within reach of the keyboard. */
  hints() {
    const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.checkVisibility();
    const more = all("article, article *").filter((e) => e.scrollWidth > e.clientWidth + 1 && scrolls(e));
    const hinted = (e) => e.dataset.more?.includes("right") && e.tabIndex === 0;
    return more.filter((e) => !hinted(e)).map((e) => `no hint that it goes on: ${start(e)}`);
  },

  /** Numbers what the tab key should reach, in order, and says what it is. */
  focusable() {
    const wanted = all("a[href], button, input, select, textarea, summary, [tabindex]").filter(
      (e) => e.tabIndex >= 0 && !e.disabled && !e.closest("[inert]") && e.checkVisibility({ visibilityProperty: true }),
    );
    wanted.forEach((e, k) => (e.dataset.order = k));
    document.activeElement.blur();
    return wanted.map(start);
  },

  /** [number of the focused element or null, is its focus visible, is it the body] */
  focused() {
    const e = document.activeElement;
    const style = getComputedStyle(e);
    const visible = style.outlineStyle !== "none" || style.boxShadow !== "none";
    const copied = e.closest("[popover]"); // a preview shows elements of the page again
    return [copied || e.dataset.order === undefined ? null : Number(e.dataset.order), visible, e === document.body];
  },
};
