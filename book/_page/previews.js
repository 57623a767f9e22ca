// Previews: a link to a statement or a numbered equation (class "preview", book/_ext/previews.py)
// shows it on hover, focus and tap. It goes with Escape, and stays while pointer or focus is on it.
"use strict";

if (HTMLElement.prototype.showPopover) {
  const WAIT = 180; // ms until a link that the pointer rests on shows
  const STAY = 300; // ms in which the pointer gets from the link to the card
  const home = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const card = document.createElement("div");
  card.className = "preview-card";
  card.popover = "manual"; // in the top layer, where no table clips it; the rest is done here
  card.setAttribute("role", "group");
  let wanted = null; // the link that shows, or will when its page's statements have come
  let timer = 0;
  let touch = false;
  let back = false; // Escape hands the focus back to the link, which must not show again

  const coming = {};
  const statementsOf = (page) =>
    (coming[page] ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL(`_static/statements/${page}.js`, home).href;
      script.onload = () => done(window.statements[page]);
      script.onerror = failed;
      document.head.append(script);
    }));

  /** Outlines of glyphs that this page lacks. */
  const lend = (box, outlines) => {
    const lacking = new Set(
      [...box.querySelectorAll("use")]
        .map((use) => use.getAttribute("href").slice(1))
        .filter((id) => id in outlines && !document.getElementById(id)),
    );
    if (!lacking.size) return;
    const paths = [...lacking].map((id) => `<path id="${id}" d="${outlines[id]}"/>`).join("");
    document.body.insertAdjacentHTML(
      "beforeend",
      `<svg class="glyphs" width="0" height="0" aria-hidden="true"><defs>${paths}</defs></svg>`,
    );
  };

  /** What the link leads to: a copy of this page's own, or from the statements of another page. */
  const stated = async (link) => {
    const url = new URL(link.href);
    const id = decodeURIComponent(url.hash.slice(1));
    if (url.pathname === location.pathname) return document.getElementById(id)?.cloneNode(true);
    const { boxes, outlines } = await statementsOf(
      decodeURIComponent(url.pathname.slice(home.pathname.length)).replace(/\.html$/, ""),
    );
    const { content } = Object.assign(document.createElement("template"), { innerHTML: boxes[id] ?? "" });
    lend(content, outlines);
    for (const inner of content.querySelectorAll("a[href]"))
      inner.setAttribute("href", new URL(inner.getAttribute("href"), url).href);
    return content.firstElementChild;
  };

  const copied = (box) => {
    box.open = true; // if it is a fold
    box.querySelectorAll(".headerlink").forEach((link) => link.remove());
    for (const node of [box, ...box.querySelectorAll("[id]")]) node.removeAttribute("id"); // each stands once in the page
    return box;
  };

  /** Below the link or, where there is more room, above; it scrolls with the page. */
  const place = () => {
    const at = wanted.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = card;
    const above = innerHeight - at.bottom < height + 8 && at.top > innerHeight - at.bottom;
    const edge = document.documentElement.clientWidth - width - 16;
    card.style.left = `${scrollX + Math.max(16, Math.min(at.left, edge))}px`;
    card.style.top = `${scrollY + (above ? at.top - height - 4 : at.bottom + 4)}px`;
  };

  const hide = () => {
    clearTimeout(timer);
    wanted = null;
    card.remove();
  };

  /** Whether it shows; it does not where the statement cannot be had. */
  const show = async (link) => {
    if (wanted === link) return true;
    hide();
    wanted = link;
    const box = await stated(link).catch(() => null);
    if (wanted !== link) return true; // the reader has gone on
    if (!box) return hide();
    const name = link.textContent.trim();
    const go = Object.assign(document.createElement("a"), {
      className: "preview-go",
      href: link.href,
      textContent: `Go to ${name}`,
    });
    card.setAttribute("aria-label", `${name}, preview`);
    card.replaceChildren(copied(box), go);
    link.after(card); // next for the tab key and for a screen reader
    card.showPopover();
    card.querySelectorAll("div.formula").forEach((formula) => reach.observe(formula)); // of page.js: within reach of keys
    card.tabIndex = card.scrollHeight > card.clientHeight ? 0 : -1;
    place();
    return true;
  };

  const anchorAt = ({ target }) => target.closest?.("a");
  const linkAt = ({ target }) => (card.contains(target) ? null : target.closest?.("a.preview"));
  const on = (target) => card.contains(target) || wanted?.contains(target);
  const pointed = () => card.matches(":hover") || wanted?.matches(":hover");

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    clearTimeout(timer);
    if (on(event.target)) return;
    const link = linkAt(event);
    if (link) timer = setTimeout(show, WAIT, link);
    else if (!on(document.activeElement)) timer = setTimeout(hide, STAY);
  });
  document.addEventListener("focusin", (event) => {
    if (back || on(event.target)) return;
    const link = linkAt(event);
    if (link?.matches(":focus-visible")) show(link);
    else if (wanted && !pointed()) hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    back = true;
    if (card.contains(document.activeElement)) wanted.focus();
    back = false;
    hide();
  });
  document.addEventListener("pointerdown", (event) => {
    touch = event.pointerType === "touch";
    if (!on(event.target)) hide();
  });
  document.addEventListener("click", (event) => {
    const link = linkAt(event);
    if (touch && link && link !== wanted) {
      event.preventDefault(); // the first tap shows, the second follows
      show(link).then((shown) => shown || location.assign(link.href));
    } else if (anchorAt(event)) setTimeout(hide); // it is followed
  });
  addEventListener("resize", () => card.isConnected && place());
}
