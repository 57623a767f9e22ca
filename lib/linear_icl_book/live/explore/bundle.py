"""The figures' modules as one text, for a notebook (one module) and for a page (one classic script,
which ``file://`` allows too). The sources stay modules that name what they import."""

import re
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import (\* as \w+|\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def text(file: str) -> str:
    """The text of a file of this folder."""
    return (HERE / file).read_text("utf-8")


def source(name: str) -> str:
    """The text of the module ``name``.js."""
    return text(f"{name}.js")


def scopes(names: tuple[str, ...], changed: Mapping[str, str] | None = None) -> str:
    """These modules and those that they import, each a constant of its name that holds its exports.

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
    texts[name] = _scope(name, code)


def _scope(name: str, code: str) -> str:
    names = EXPORT.findall(code)
    body = EXPORT.sub("", IMPORT.sub(_taken, code))
    if left := LEFT.search(body):
        raise ValueError(f"{name}.js must import and export by whole lines, got {left[0]!r}")
    return f"const {name} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n"


def _taken(match: re.Match[str]) -> str:
    what, name = match[1].removeprefix("* as "), match[2]
    return f"const {what.replace(' as ', ': ')} = {name};\n"
