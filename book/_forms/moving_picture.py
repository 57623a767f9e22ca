"""The first figure as a picture that moves, for where no script runs.

`python -m book._forms.moving_picture` writes `book/_page/hero.svg`, which README shows. Examples
come one by one, then they are twice as wide and the line tips over. Who asked for less motion sees
the last picture.
"""

from __future__ import annotations

import re
from pathlib import Path

from linear_icl_book.live import Hero

FILE = Path(__file__).resolve().parents[1] / "_page" / "hero.svg"
STEP, HOLD = 0.9, 3.0  # seconds of a picture, and of one that is to be read
ALT = (
    "Examples drop in one by one and the line of a trained layer turns towards them; then the "
    "examples are stretched to twice their width, and the line becomes four times as steep."
)
WORDS = (
    "{} examples read. No weight changed.",
    "The same examples, twice as wide. No weight changed.",
)


def frames() -> list[tuple[Hero, float, str]]:
    """Each picture, how long it stands, and what it says."""
    most = Hero().M
    grown = [(Hero(M=count), STEP, WORDS[0].format(count)) for count in range(1, most + 1)]
    grown[0] = (grown[0][0], STEP, WORDS[0].format("One").replace("examples", "example"))
    grown[-1] = (*grown[-1][:1], HOLD, grown[-1][2])
    return [*grown, (Hero(scale=2.0), HOLD, WORDS[1])]


def moving(shown: list[tuple[Hero, float, str]]) -> str:
    """One SVG of all of them, one after another, without end."""
    parts = [re.fullmatch(r"(<svg[^>]*>)\s*<style>(.*?)</style>(.*)</svg>\s*", hero.svg(), re.S)
             for hero, _, _ in shown]  # fmt: skip
    if not all(parts):
        raise ValueError("the still of the first figure must be one <svg> with one <style>")
    first = parts[0]
    assert first
    box = re.search(r'viewBox="0 0 (\d+) (\d+)"', first[1])
    assert box
    width, height = int(box[1]), int(box[2])
    whole = sum(seconds for _, seconds, _ in shown)
    style, groups, begun = [], [], 0.0
    for count, ((_, seconds, words), part) in enumerate(zip(shown, parts, strict=True)):
        assert part
        start, stop = 100 * begun / whole, 100 * (begun + seconds) / whole
        begun += seconds
        hidden = f"0%{{opacity:0}}{start:.3f}%{{opacity:1}}" if count else "0%{opacity:1}"
        end = f"{stop:.3f}%{{opacity:0}}100%{{opacity:0}}" if stop < 100 else "100%{opacity:1}"
        style.append(f"@keyframes f{count}{{{hidden}{end}}}")
        style.append(f".f{count}{{opacity:0;animation:f{count} {whole:g}s step-end infinite}}")
        said = f'<text class="said" x="{width / 2:g}" y="{height + 24}">{words}</text>'
        groups.append(f'<g class="f{count}">{part[3].strip()}{said}</g>')
    last = len(shown) - 1
    style += [
        "@media (prefers-reduced-motion: reduce)"
        f"{{g[class^=f]{{animation:none}}.f{last}{{opacity:1}}}}",
        ".said{font:15px system-ui,sans-serif;fill:#1F2328;text-anchor:middle}",
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 40}" role="img">'
        f"<title>{ALT}</title>\n<style>{first[2]}{chr(10).join(style)}</style>\n"
        f'<rect width="100%" height="100%" fill="#FFFFFF"/>\n{chr(10).join(groups)}\n</svg>\n'
    )


if __name__ == "__main__":
    FILE.write_text(moving(frames()), encoding="utf-8")
