"""A figure whose arithmetic runs in the page."""

import json
import re
from typing import Any, ClassVar

import anywidget
import traitlets

from .. import bundle
from ..describe import check_name, unknown
from . import node

STYLE = "".join(map(bundle.text, ("marks.css", "explore.css")))
WIDTH = 704  # px of the still image
STILL = """
const { height, text } = %s.still(state, %d);
const size = `width="%dpx" height="${height}px" viewBox="0 0 %d ${height}"`;
console.log(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>\\n<style>${style}</style>`);
console.log(`<g class="ex-art">${text}</g>\\n</svg>`);
"""


class Explorable(anywidget.AnyWidget):
    """What the figures that compute in the page share. Their traits are their only state.

    ``name``: the figure's name in the page's address. ``alt``: what is to be seen in it, for those
    who do not see it. Traits are set by name in the call, later as attributes, by the reader's
    hand, by an address: ``state()`` holds them all.

    A subclass names its ``kind``, as its front end is named, and what is ``pictured``: the alt
    where none is given.

    ``print`` shows the package's numbers, four digits of each. The still image needs Node.js; where
    there is none, a cell shows the figure and leaves the image out.

    Raises StateError (a ValueError) for a value that a trait cannot have, and TypeError or
    AttributeError for a trait that the figure does not have.
    """

    kind: ClassVar[str]
    pictured: ClassVar[str]
    _css = STYLE
    figure = traitlets.Unicode(help="the kind, for a page without a kernel").tag(sync=True)
    name = traitlets.Unicode(help="in the page's address").tag(sync=True)
    alt = traitlets.Unicode(help="what the image shows").tag(sync=True)

    def __init_subclass__(cls, **options: Any) -> None:
        if "kind" in vars(cls):  # and not in the class of its own that anywidget makes of a figure
            cls._esm = bundle.front_end(cls.kind)
        super().__init_subclass__(**options)

    def __init__(self, **traits: Any) -> None:
        known = {"name", "alt", *self.state_names()}
        for name in set(traits) - known:
            raise TypeError(unknown(type(self), name, known))
        check_name(traits.setdefault("name", self.kind.replace("_", "-")))
        super().__init__(figure=self.kind, **traits)

    @traitlets.default("alt")
    def _alt(self) -> str:
        return self.pictured

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or hasattr(type(self), name)):
            raise AttributeError(unknown(type(self), name, {*self.state_names()}))
        super().__setattr__(name, value)

    @classmethod
    def state_names(cls) -> list[str]:
        """The traits that are the figure's state, in the order in which they were written."""
        # anywidget derives a class of its own, so its own traits alone would be none
        return [
            name
            for owner in reversed(cls.__mro__)
            if issubclass(owner, Explorable) and owner is not Explorable
            for name, trait in vars(owner).items()
            if isinstance(trait, traitlets.TraitType)
            and not (name.startswith("_") or trait.metadata.get("carried"))
        ]

    def state(self) -> dict[str, Any]:
        """All traits that are drawn."""
        return {name: getattr(self, name) for name in self.state_names()}

    def given(self) -> dict[str, Any]:
        """The state, and what the figure carries for its drawing: traits with the tag `carried`."""
        return {**self.state(), **{name: getattr(self, name) for name in self.traits(carried=True)}}

    def told(self) -> str:
        """The figure's numbers in a sentence, computed by the package."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{self.kind.title().replace('_', '')}: {self.told()}"

    def svg(self) -> str:
        """The image at the traits as they are, by the code that draws it live. Raises NoNode."""
        style = re.sub(r"/\*.*?\*/", "", bundle.text("marks.css"), flags=re.DOTALL)
        given = f"const state = {json.dumps(self.given())};\nconst style = {json.dumps(style)};\n"
        program = STILL % (self.kind, WIDTH, WIDTH, WIDTH)
        return node.run(bundle.scopes((self.kind,)) + given + program)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        view, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        data = {**view, "text/plain": repr(self)}
        try:
            data["image/svg+xml"] = self.svg()
        except node.NoNode:
            return data, metadata
        return data, {**metadata, "image/svg+xml": {"alt": self.alt}}


def digits(value: float) -> str:
    """Four digits; a number below the rounding error is zero."""
    return "0" if abs(value) < 5e-13 else f"{value:.4g}"
