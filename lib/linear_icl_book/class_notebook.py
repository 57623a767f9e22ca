"""The class notebook: a chapter as a student meets it in JupyterLab.

    python -m linear_icl_book.class_notebook SOURCE FOLDER
        [--instructor] [--address URL] [--index FILE]

makes `FOLDER/<page>.ipynb` of every page in `SOURCE` (the book's folder) that has code or is in the
list, and leaves those that exist as they are: they may hold a student's work. It needs jupytext and
no toolchain of the book: the numbers that the build gives stand in the table `SOURCE/numbers.json`.
A class notebook has the book's numbers and names in the place of labels, captions below its
figures, a name for each figure (`fig_plateau`), the code that only draws folded away, and a blank
in the place of each solution; the solutions stand at the end, folded, as text: *Run All* runs none
of them. With `--instructor` they are cells that run and nothing is folded.
With the address of the built book, what has no notebook is linked there.
"""

from __future__ import annotations

import argparse
import ast
import json
import mimetypes
import platform
import re
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml

from .exercises import registry, stub
from .live.figure import slug

TABLE = "numbers.json"
# What JupyterLab writes into a notebook whose kernel starts: where it stands already, opening
# leaves nothing to save.
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
LANGUAGE = {
    "name": "python",
    "version": platform.python_version(),
    "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3},
    "pygments_lexer": "ipython3",
    "nbconvert_exporter": "python",
    "file_extension": ".py",
}
# JupyterLab's MyST numbers every equation of a notebook, on top of the book's numbers.
UNNUMBERED = "---\nnumbering:\n  equation: false\n---\n\n"
DIRECTIVE = re.compile(r"(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\} *(?P<title>.*)")
OPTION = re.compile(r":([\w-]+): *(.*)")
ROLE = re.compile(r"\{([a-z]+(?:[:-][a-z]+)*)\}`([^`]+)`")
NAMED = re.compile(r"(.+?)\s*<([^<>]+)>", re.S)
SET = re.compile(r"(.+?)\s*<([\w-]+):([^<>]+)>", re.S)  # words <figure: states>
FIGURE_AT = re.compile(
    r"(.+?)\s*<(\S+)\s+([^<>;\s]+)\s*;([^<>]+)>", re.S
)  # words <page figure; states>
EQUATION = re.compile(r"^\$\$[ ]*\((?P<label>[\w-]+)\)[ ]*$", re.M)
LISTED = re.compile(r"\(\.\./book/(\w+)\.md\)")  # a link in the list of chapters
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.M)
# Tags of the page to what JupyterLab folds.
HIDDEN = {
    "hide-input": ("source",),
    "hide-output": ("outputs",),
    "hide-cell": ("source", "outputs"),
}
# Directives that only the build of the page knows; a notebook goes without.
LEFT_OUT = {"api", "ledger", "how-to-cite", "results-map", "forms", "environment", "bibliography"}


@dataclass(frozen=True)
class Numbers:
    """The book's own numbers: `pages` (number, title), `labels` (page, words) and `cited`
    (authors, year, address), each by name."""

    pages: Mapping[str, Sequence[str]]
    labels: Mapping[str, Sequence[str]]
    cited: Mapping[str, Sequence[Any]]

    @classmethod
    def read(cls, file: Path) -> Numbers:
        """Raises ValueError, with the file's name, for a table that is missing or damaged."""
        try:
            return cls(**json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as fault:
            raise ValueError(
                f"{file} must be the book's table of numbers, got {fault}; "
                "is this the folder of the book's sources?"
            ) from fault

    def find(self, label: str) -> tuple[str, str]:
        """Page and words of a label. Raises ValueError if the table has none."""
        if label not in self.labels:
            raise ValueError(f"{label!r} must be a label of the book; build it to renew {TABLE}")
        page, words = self.labels[label]
        return page, words


@dataclass
class _Page:
    """One page on its way: what its labels become depends on where they stand."""

    name: str  # "book/pl_convergence"
    folder: Path
    numbers: Numbers
    notebooks: frozenset[str]
    address: str
    instructor: bool
    figures: dict[str, str] = field(default_factory=dict)  # a live figure's name to its variable

    def link(self, label: str, words: str = "") -> str:
        page, found = self.numbers.find(label)
        shown = words.replace("{number}", self.numbers.pages[page][0]).replace("{name}", found)
        return self.to(page, label, shown or found)

    def to(self, page: str, label: str, words: str) -> str:
        place = f"#{label}" if label else ""
        if page == self.name and place:
            return f"[{words}]({place})"
        if page in self.notebooks:
            return f"[{words}]({page.rpartition('/')[2]}.ipynb{place})"
        return f"[{words}]({self.address}{page}.html{place})" if self.address else words

    def words(self, text: str) -> str:
        """Text in which every role is replaced."""
        return ROLE.sub(lambda found: self.role(found[1], found[2]), text)

    def role(self, name: str, text: str) -> str:
        given = NAMED.fullmatch(text)
        words, target = (given[1], given[2]) if given else ("", text)
        match name:
            case "ref" | "prf:ref" | "numref" | "eq":
                return self.link(target.strip(), words)
            case "doc":
                page = f"{self.name.rpartition('/')[0]}/{target.strip().strip('/')}"
                return self.to(page, "", words or self.numbers.pages[page][1])
            case "set":
                words, figure, states = _parts(SET, text)
                return _moved(words, self.figures.get(figure), states)
            case "figure-at":
                words, page, figure, states = _parts(FIGURE_AT, text)
                variable = _figures_of(self.folder / f"{page}.md").get(figure)
                if variable is not None:
                    there = f"{self.name.rpartition('/')[0]}/{page}"
                    words = self.to(there, variable.replace("_", "-"), words)
                return _moved(words, variable, states)
            case _ if name.startswith("cite:"):
                return self._cite(name.removeprefix("cite:"), text.split(","))
        return f"{{{name}}}`{text}`"  # one of MyST's own

    def _cite(self, form: str, keys: Sequence[str]) -> str:
        return ", ".join(self._work(form, key.strip()) for key in keys)

    def _work(self, form: str, key: str) -> str:
        if key not in self.numbers.cited:
            raise ValueError(
                f"{key!r} must be a work that the book cites; build it to renew {TABLE}"
            )
        writers, year, address = self.numbers.cited[key]
        whole = "s" in form or len(writers) <= 2
        who = _listed(writers) if whole else f"{writers[0]} et al."
        words = f"({who}, {year})" if form.startswith("p") else f"{who} ({year})"
        return f"[{words}]({address})" if address else words


def _parts(form: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = form.fullmatch(text)
    if found is None:
        raise ValueError(f"a role must read TEXT <…>, got {text!r}")
    return found.groups()


def _moved(words: str, variable: str | None, states: str) -> str:
    """Words of the page that set a figure, and the lines of Python that do so in a notebook."""
    if variable is None:
        return words
    pairs = [state.split("=", 1) for state in states.split(";")]
    lines = "; ".join(f"{variable}.{key.strip()} = {_value(value)}" for key, value in pairs)
    return f"{words} (`{lines}`)"


def _value(text: str) -> str:
    """A state of the page's address as Python writes it: numbers, lists of numbers, or words."""
    parts = [part.strip() for part in text.split(",")]
    try:
        numbers = [repr(ast.literal_eval(part)) for part in parts]
    except (ValueError, SyntaxError):
        return repr(text.strip())
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def notebook(
    source: Path,
    numbers: Numbers,
    *,
    notebooks: frozenset[str] = frozenset(),
    address: str = "",
    instructor: bool = False,
    needs: str = "",
) -> nbformat.NotebookNode:
    """The class notebook of one page.

    Args:
        source: The page, MyST Markdown with code cells, in the book's folder.
        numbers: The book's table.
        notebooks: Pages ("book/primer") whose notebooks lie in the same folder.
        address: Where the built book is, with its last slash; empty if nowhere.
        instructor: Solutions are cells, and nothing is folded.
        needs: A line below the title: what to install.

    Raises:
        ValueError: for a page without a title on top, a label or a work that the table lacks, an
            exercise without a solution that ends in its check, a fence that is never closed.
    """
    made: nbformat.NotebookNode = jupytext.read(source, fmt="md:myst")
    page = _Page(f"book/{source.stem}", source.parent, numbers, notebooks, address, instructor)
    page.figures.update(_figures(made.cells))
    cells = _Exercises(page).apart(made.cells)
    written = [cell for old in cells for cell in _cell(page, old)]
    first = written[0] if written and written[0].cell_type == "markdown" else None
    title = re.search(r"^# .+$", first.source, re.M) if first else None
    if first is None or title is None:
        raise ValueError(f"{source.name} must begin with a title")
    number, name = numbers.pages.get(page.name, ("", title[0].removeprefix("# ")))
    head = f"# {number}. {name}" if number else f"# {name}"
    below = f"\n\n*This notebook needs the package of the book:* `{needs}`" if needs else ""
    first.source = UNNUMBERED + first.source.replace(title[0], head + below, 1)
    return _finished(written)


def _figures(cells: Sequence[Any]) -> dict[str, str]:
    """For each figure, by its label and by its name in the page's addresses, the variable it is
    bound to. The name is given, or made of the title, or of the kind of figure."""
    found: dict[str, str] = {}
    for cell in cells:
        label = _figure(cell).get("name", "")
        if label:
            found[label] = _variable(label)
            found[_name(cell.source) or label] = _variable(label)
    return found


def _name(source: str) -> str:
    if named := re.search(r'\bname="([\w-]+)"', source):
        return named[1]
    if titled := re.search(r'\btitle="([^"]+)"', source):
        return slug(titled[1])
    kind = re.match(r"\w+(?=\()", _last(source))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind[0]).lower() if kind else ""


@cache  # the teacher's page names figures of every chapter, many times
def _figures_of(source: Path) -> dict[str, str]:
    return _figures(jupytext.read(source, fmt="md:myst").cells)


def _figure(cell: Any) -> Mapping[str, str]:
    shown = cell.metadata.get("mystnb", {}).get("figure", {})
    return shown if cell.cell_type == "code" else {}


def _variable(label: str) -> str:
    return label.replace("-", "_")


def _last(source: str) -> str:
    """The last statement if it is an expression, else nothing."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a cell of IPython's own language
        return ""
    if not body or not isinstance(body[-1], ast.Expr):
        return ""
    return "\n".join(source.splitlines()[body[-1].lineno - 1 :])


class _Exercises:
    """Takes exercises and their solutions apart."""

    def __init__(self, page: _Page) -> None:
        self.page = page
        self.solutions: list[Any] = []

    def apart(self, cells: Sequence[Any]) -> list[Any]:
        """The cells in which a stub stands for each solution, and the solutions behind them.

        A page marks them by lines: {exercise-start}, {exercise-end}, {solution-start},
        {solution-end}, which may stand in one cell or in several."""
        kept: list[Any] = []
        inside = ""  # the exercise whose solution we are in
        answer: list[Any] = []
        for cell in cells:
            if cell.cell_type != "markdown":
                (answer if inside else kept).append(cell)
                continue
            for kind, text in _marked(cell.source):
                if kind == "solution-start":
                    inside = text
                elif kind == "solution-end":
                    kept += self._solved(inside, answer)
                    inside, answer = "", []
                elif text.strip():
                    (answer if inside else kept).append(_markdown(text))
        if inside:
            raise ValueError(f"{self.page.name}: the solution of {inside} must have an end")
        if self.solutions:
            folded = {} if self.page.instructor else {"jp-MarkdownHeadingCollapsed": True}
            note = "Try first. They are text: to run one, copy it into a cell."
            head = _markdown(f"## Solutions\n\n{note}")
            head.metadata.update(folded)
            kept += [head, *self.solutions]
        return kept

    def _solved(self, label: str, answer: list[Any]) -> list[Any]:
        words = self.page.numbers.find(label)[1]
        number = words.rpartition(" ")[2]
        code = [cell for cell in answer if cell.cell_type == "code"]
        if self.page.instructor:
            return [_markdown(f"**Solution of {words}.**"), *answer]
        body = "\n\n".join(
            f"```python\n{_whole(cell.source)}\n```" if cell.cell_type == "code" else cell.source
            for cell in answer
        )
        self.solutions.append(_markdown(f"::::::{{dropdown}} Solution of {words}\n{body}\n::::::"))
        if number not in registry():
            return []
        if not code:
            raise ValueError(f"{words} of the registry must have a solution with code")
        return [_code(stub(number, code[-1].source).rstrip())]


def _whole(source: str) -> str:
    """The code of a solution with the import of its check, which an earlier one may have had."""
    used = re.search(r"^check\(", source, re.M)
    imported = re.search(r"^from linear_icl_book import .*\bcheck\b", source, re.M)
    return f"from linear_icl_book import check\n\n{source}" if used and not imported else source


def _marked(source: str) -> list[tuple[str, str]]:
    """A cell's text cut at the marks of exercises: kind and text, or kind and label."""
    lines = source.split("\n")
    parts: list[tuple[str, str]] = []
    text: list[str] = []
    place = 0

    def keep() -> None:
        parts.append(("text", "\n".join(text)))
        text.clear()

    while place < len(lines):
        found = DIRECTIVE.fullmatch(lines[place].rstrip())
        name = found["name"] if found else ""
        if not name.startswith(("exercise-", "solution-")):
            text.append(lines[place])
            place += 1
            continue
        assert found
        stop = next(k for k in range(place + 1, len(lines)) if lines[k].strip() == found["fence"])
        options = _options(lines, place + 1)[0]
        if name == "exercise-start":
            text.append(f"%%exercise {options['label']} {found['title']}")
        elif name.startswith("solution-"):
            keep()
            parts.append((name, found["title"].strip()))
        place = stop + 1
    keep()
    return parts


def _markdown(text: str) -> Any:
    return nbformat.v4.new_markdown_cell(text.strip("\n"))  # type: ignore[no-untyped-call]


def _code(source: str) -> Any:
    return nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call]


def _cell(page: _Page, cell: Any) -> list[Any]:
    """A cell as JupyterLab shows it, and the caption of its figure."""
    if cell.cell_type == "markdown":
        fresh = _markdown(_myst(page, cell.source))
        fresh.metadata.update(cell.metadata)
        return [fresh] if fresh.source.strip() else []
    shown = _figure(cell)
    source = _bound(cell.source, shown.get("name", ""))
    fresh = _code(source)
    if not page.instructor:
        for tag in cell.metadata.get("tags", []):
            for part in HIDDEN.get(tag, ()):
                fresh.metadata.setdefault("jupyter", {})[f"{part}_hidden"] = True
    if not shown.get("caption"):
        return [fresh]
    label = shown["name"]
    text = f"({label})=\n**{page.numbers.find(label)[1]}.** {page.words(shown['caption'].strip())}"
    if source != cell.source:
        text += f" *In this notebook:* `{_variable(label)}`."
    return [fresh, _markdown(text)]


def _bound(source: str, label: str) -> str:
    """The cell's last expression bound to the figure's name, and shown."""
    last = _last(source)
    if not label or not last:
        return source
    variable = _variable(label)
    return f"{source.removesuffix(last)}{variable} = {last.rstrip()}\n{variable}"


def _myst(page: _Page, source: str) -> str:
    """Markdown of the book as the Markdown that JupyterLab's MyST knows."""
    lines, out = source.split("\n"), []
    place = 0
    while place < len(lines):
        line = lines[place]
        if line.startswith("%%exercise "):
            _, label, title = line.split(" ", 2)
            out += ["", f"({label})=", f"### {page.numbers.find(label)[1]}. {title}", ""]
        elif re.fullmatch(r"\{\.[\w .-]+\}", line.strip()):
            pass  # a class of the page's style
        elif found := DIRECTIVE.fullmatch(line.rstrip()):
            place = _directive(page, lines, place, found, out)
        else:
            out.append(line)
        place += 1
    text = page.words("\n".join(out))
    return _numbered(page, text)


def _directive(
    page: _Page, lines: Sequence[str], place: int, found: re.Match[str], out: list[str]
) -> int:
    """Writes the head of a directive; returns the last line that it took."""
    name, title, fence = found["name"], found["title"].strip(), found["fence"]
    options, after = _options(lines, place + 1)
    label = options.get("label") or options.get("name", "")
    if name in LEFT_OUT or name == "figure":
        stop = _closed(lines, after, fence)
        if name == "figure":
            body = " ".join(lines[after:stop]).strip()
            out += _drawing(page, title, options.get("alt", ""), label, body)
        return stop
    if label:
        out += [f"({label})=", ""]
    if name == "grid-item-card":
        target = options.get("link", "")
        out.append(f"{fence}{{{name}}} {page.link(target, title) if target else title}".rstrip())
        return after - 1  # its picture is a file of the page
    if name == "prf:proof":
        out.append(f"{fence}{{dropdown}} Proof{f' ({title})' if title else ''}")
    elif name.startswith("prf:"):
        words = page.numbers.find(label)[1] if label else name.removeprefix("prf:").title()
        out.append(f"{fence}{{admonition}} {words}{f' ({title})' if title else ''}")
    else:
        out.append(f"{fence}{{{name}}} {title}".rstrip())
        out += [
            f":{key}: {value}" for key, value in options.items() if key not in ("label", "name")
        ]
    return after - 1


def _options(lines: Sequence[str], start: int) -> tuple[dict[str, str], int]:
    """Options of a directive, as lines `:name: value` or as YAML, and the line behind them."""
    if lines[start].strip() == "---":
        stop = _closed(lines, start + 1, "---")
        return yaml.safe_load("\n".join(lines[start + 1 : stop])) or {}, stop + 1
    options = {}
    while start < len(lines) and (option := OPTION.fullmatch(lines[start].rstrip())):
        options[option[1]] = option[2]
        start += 1
    return options, start


def _closed(lines: Sequence[str], start: int, fence: str) -> int:
    for place in range(start, len(lines)):
        if lines[place].strip() == fence:
            return place
    raise ValueError(f"a fence {fence} must be closed: {lines[start - 1]!r}")


def _drawing(page: _Page, path: str, alt: str, label: str, body: str) -> list[str]:
    """A drawing as data, for JupyterLab shows no attachment that is an SVG; its caption below."""
    data = b64encode((page.folder / path).read_bytes()).decode()
    image = f"data:{mimetypes.guess_type(path)[0]};base64,{data}"
    lines = [f"```{{image}} {image}", f":alt: {alt}", "```", ""]
    if label in page.numbers.labels:
        body = f"**{page.numbers.find(label)[1]}.** {body}"
    return [*([f"({label})=", ""] if label else []), *lines, body]


def _numbered(page: _Page, text: str) -> str:
    """Equations with the book's numbers: the label of each becomes a target and a tag."""
    out, end = [], 0
    for found in EQUATION.finditer(text):
        start = text.rfind("\n$$", end, found.start())
        if start < 0 and not text.startswith("$$", end):
            raise ValueError(f"the equation {found['label']} must begin with $$ on its own line")
        words = page.numbers.find(found["label"])[1].strip("()")
        body = text[start + 1 if start >= 0 else end : found.start()].rstrip()
        before = text[end : start + 1] if start >= 0 else ""
        out.append(f"{before.rstrip()}\n\n({found['label']})=\n{body}\\tag{{{words}}}\n$$")
        end = found.end()
    return "".join(out) + text[end:]


def pages(folder: Path) -> list[Path]:
    """The pages of the book's folder that name a kernel."""
    return [
        path
        for path in sorted(folder.glob("*.md"))
        if re.match(r"---\n(?:(?!---\n).*\n)*kernelspec:", path.read_text(encoding="utf-8"))
    ]


def _listed_pages(index: Path, folder: Path) -> set[Path]:
    """The pages to which the list leads; some, as the teacher's, have no code."""
    targets = LISTED.findall(index.read_text(encoding="utf-8"))
    return {folder / f"{page}.md" for page in targets}


def write(
    folder: Path,
    out: Path,
    *,
    instructor: bool = False,
    address: str = "",
    index: Path | None = None,
) -> list[Path]:
    """The class notebooks of the book's `folder` that `out` has not yet; returns what was made.

    Args:
        folder: The book's sources, with their table of numbers.
        out: A file in it is never written again.
        instructor, address: as for `notebook`.
        index: A list of the chapters, which links to the sources; it becomes `out/index.ipynb`.

    Raises:
        ValueError: as `notebook` does, with the name of the page; for a folder without pages.
    """
    numbers = Numbers.read(folder / TABLE)
    sources = pages(folder)
    if not sources:
        raise ValueError(f"{folder} must hold pages with a kernelspec, got none")
    if index:
        sources = sorted({*sources, *_listed_pages(index, folder)})
    names = frozenset(f"book/{path.stem}" for path in sources)
    out.mkdir(parents=True, exist_ok=True)
    made = {}
    for source in sources:
        try:
            made[out / f"{source.stem}.ipynb"] = notebook(
                source, numbers, notebooks=names, address=address, instructor=instructor
            )
        except ValueError as fault:
            raise ValueError(f"{source.name} makes no notebook: {fault}") from fault
    if index:
        made[out / "index.ipynb"] = _index(index)
    fresh = [path for path in made if not path.exists()]
    for path in fresh:
        path.write_text(
            json.dumps(made[path], ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
    return fresh


def _index(file: Path) -> nbformat.NotebookNode:
    """The list of chapters, its links turned to their notebooks."""
    made: nbformat.NotebookNode = jupytext.read(file, fmt="md:myst")
    text = "\n\n".join(cell.source for cell in made.cells)
    return _finished([_markdown(LISTED.sub(r"(\1.ipynb)", text))])


def _finished(cells: Sequence[Any]) -> nbformat.NotebookNode:
    """A valid notebook, the same bytes for the same cells: nbformat draws names of cells."""
    made: nbformat.NotebookNode = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]
        cells=list(cells)
    )
    made.metadata.update(kernelspec=KERNEL, language_info=LANGUAGE)
    for count, cell in enumerate(made.cells):
        cell.id = f"cell-{count}"
    nbformat.validate(made)
    return made


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m linear_icl_book.class_notebook")
    parser.add_argument("source", type=Path, help="the folder of the book's pages")
    parser.add_argument("folder", type=Path, help="where the notebooks go")
    parser.add_argument(
        "--instructor", action="store_true", help="solutions are cells, nothing is folded"
    )
    parser.add_argument("--address", default="", help="where the built book is")
    parser.add_argument("--index", type=Path, help="the list of chapters, made a notebook too")
    given = parser.parse_args(arguments)
    try:
        made = write(
            given.source,
            given.folder,
            instructor=given.instructor,
            address=given.address,
            index=given.index,
        )
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 1
    here = len([*given.folder.glob("*.ipynb")])
    print(f"{len(made)} notebooks made in {given.folder}, {here - len(made)} kept as they are")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
