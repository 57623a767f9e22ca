"""The directive `{api} MODULE`: what a module of the package offers, read off its docstrings.

Names without an underscore, in the order of the file (or of `__all__`), with their arguments and
the module's own first line. `:leave-out: a b` drops helpers that other modules share. A public
name without a docstring stops the build.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CODE = re.compile(r":\w+:`([^`]+)`|``([^`]+)``|`([^`]+)`")


class Api(SphinxDirective):
    required_arguments = 1
    option_spec = {"leave-out": directives.unchanged}  # noqa: RUF012  as docutils declares it

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        name = module.__name__.rpartition(".")[2]
        left_out = self.options.get("leave-out", "").split()
        entries = [
            _entry(f"{name}.{own}", obj) for own, obj in public(module) if own not in left_out
        ]
        return [*prose(inspect.getdoc(module) or "")[:1], nodes.definition_list("", *entries)]


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions and classes that a module offers: of `__all__`, or defined in it."""
    listed = getattr(module, "__all__", None)
    for name, obj in vars(module).items() if listed is None else ((n, None) for n in listed):
        obj = getattr(module, name)
        own = listed is not None or getattr(obj, "__module__", None) == module.__name__
        if own and not name.startswith("_") and (inspect.isfunction(obj) or inspect.isclass(obj)):
            yield name, obj


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """The methods, class methods and properties of a class that the package documents.

    Its own come first, then what it inherits from the package's other classes. One that overrides
    another library's and says nothing new is left out, and one that another library has put there.
    """
    seen = set()
    for owner in cls.__mro__:
        package = owner.__module__.partition(".")[0] == cls.__module__.partition(".")[0]
        for name, raw in vars(owner).items() if package else ():
            shown = inspect.isfunction(raw) and raw.__module__ == owner.__module__
            shown = shown or isinstance(raw, property | classmethod)
            if not name.startswith("_") and shown and raw.__doc__ and name not in seen:
                # bound to its class, a class method has the signature that one calls
                yield name, getattr(owner, name) if isinstance(raw, classmethod) else raw
            seen.add(name)


def arguments(obj: Any) -> str:
    """The signature without annotations: "(covariance, length)"; empty for what nobody calls."""
    error = inspect.isclass(obj) and issubclass(obj, BaseException)
    if error or isinstance(obj, property) or getattr(obj, "_is_protocol", False):
        return ""
    signature = inspect.signature(obj)
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    return str(signature.replace(parameters=kept, return_annotation=inspect.Signature.empty))


def prose(doc: str) -> list[nodes.Node]:
    """Paragraphs of a docstring; a block with indented lines keeps its lines."""
    found: list[nodes.Node] = []
    for block in doc.split("\n\n"):
        lines = block.strip("\n").splitlines()
        if ">>>" in block:
            found.append(nodes.literal_block("", block.strip("\n"), language="python"))
        elif any(line.startswith(" ") for line in lines):
            found.append(_lines(lines))
        elif lines:
            found.append(nodes.paragraph("", "", *_inline(" ".join(lines))))
    return found


def _lines(lines: list[str]) -> nodes.line_block:
    joined: list[str] = []
    indents = [len(line) - len(line.lstrip()) for line in lines]
    step = min((i for i in indents if i), default=0)
    for line, indent in zip(lines, indents, strict=True):
        if indent > step and joined:  # the second line of an entry
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
    block = nodes.line_block()
    block += [nodes.line("", "", *_inline(line)) for line in joined]
    return block


def _inline(text: str) -> list[nodes.Node]:
    parts: list[nodes.Node] = []
    end = 0
    for match in CODE.finditer(text):
        parts += [nodes.Text(text[end : match.start()])] if match.start() > end else []
        code = next(group for group in match.groups() if group).removeprefix("linear_icl.")
        parts.append(nodes.literal("", code))
        end = match.end()
    return [*parts, nodes.Text(text[end:])]


def _entry(name: str, obj: Any) -> nodes.definition_list_item:
    doc = inspect.cleandoc(obj.__doc__ or "")  # its own: an inherited one is another's
    if not doc:
        raise ValueError(f"{name} must have a docstring, got none; it is on the page of the API")
    body = prose(doc)
    inherited: dict[str, list[str]] = {}
    own = []
    for method, found in members(obj) if inspect.isclass(obj) else ():
        owner = next(base for base in obj.__mro__ if method in vars(base))
        if owner is obj or owner.__name__.startswith("_"):  # told here or nowhere
            own.append(_entry(f".{method}", found))
        else:
            inherited.setdefault(owner.__name__, []).append(f"`.{method}{arguments(found)}`")
    if own:
        body.append(nodes.definition_list("", *own))
    body += [
        nodes.paragraph("", "", *_inline(f"From `{base}`: {', '.join(names)}."))
        for base, names in inherited.items()
    ]
    term = nodes.term("", "", nodes.literal("", name + arguments(obj)))
    return nodes.definition_list_item("", term, nodes.definition("", *body))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("api", Api)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
