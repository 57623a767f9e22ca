"""The figures' modules as one text, for a notebook (one module) and for a page (one classic script,
which ``file://`` allows too). The sources stay modules that name what they import."""

import re
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
#: Of modules and style sheets. Modules of the first share the scope of the text, so no two of them
#: declare one name; each of the second has a scope of its own.
FOLDERS = (HERE, HERE / "explore")
GRID = "live"  # the kind of LiveFigure
IMPORT = re.compile(r'^import (\* as \w+|\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
RENAMED = re.compile(r"^import [^;]*\bas\b[^;]*;", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def text(file: str) -> str:
    """The text of a file. Raises ValueError unless one of the folders has it."""
    found = [folder / file for folder in FOLDERS if (folder / file).is_file()]
    if len(found) != 1:
        raise ValueError(f"{file} must stand in one of live/ and live/explore/, got {len(found)}")
    return found[0].read_text("utf-8")


def source(name: str) -> str:
    """The text of the module ``name``.js."""
    return text(f"{name}.js")


def rendered(kind: str) -> str:
    """The function, in the scope of ``scopes``, that anywidget calls for a figure of this kind."""
    return "render" if kind == GRID else f"(context) => figure.render({kind}.Kind, context)"


def front_end(kind: str) -> str:
    """The front end of one kind for anywidget: an ES module that fetches nothing."""
    return f"{scopes((kind,))}export default {{ render: {rendered(kind)} }};\n"


def scopes(names: tuple[str, ...], changed: Mapping[str, str] | None = None) -> str:
    """These modules and those that they import; one of explore/ is a constant of its name that
    holds its exports.

    ``changed``: texts in the place of files. Raises ValueError where modules import in a circle, or
    in a form that is not one whole line.
    """
    texts: dict[str, str] = {}
    for name in names:
        _add(name, dict(changed or {}), texts, ())
    return "".join(texts.values())


def _add(name: str, changed: dict[str, str], texts: dict[str, str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules must not import in a circle, got {' → '.join((*above, name))}")
    if name in texts:
        return
    code = changed.get(name) or source(name)
    for _, other in IMPORT.findall(code):
        _add(other, changed, texts, (*above, name))
    shared = (FOLDERS[0] / f"{name}.js").is_file()
    texts[name] = _shared(name, code) if shared else _scope(name, code)


def _shared(name: str, code: str) -> str:
    if renamed := RENAMED.search(code):
        raise ValueError(f"{name}.js must import names as they are, got {renamed[0]!r}")
    return _whole(name, IMPORT.sub("", code))


def _scope(name: str, code: str) -> str:
    names = EXPORT.findall(code)
    body = _whole(name, IMPORT.sub(_taken, code))
    return f"const {name} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n"


def _whole(name: str, code: str) -> str:
    body = EXPORT.sub("", code)
    if left := LEFT.search(body):
        raise ValueError(f"{name}.js must import and export by whole lines, got {left[0]!r}")
    return body


def _taken(match: re.Match[str]) -> str:
    what, name = match[1].removeprefix("* as "), match[2]
    return f"const {what.replace(' as ', ': ')} = {name};\n"
