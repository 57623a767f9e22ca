"""Figures that compute in the page: their arithmetic is kernel.js, compared with the package."""

from .ask import Ask
from .bill import Bill
from .dial import Dial
from .explorable import Explorable
from .flow_lab import FlowLab
from .hero import Hero
from .one_pass import OnePass
from .step_plane import StepPlane
from .two_lines import TwoLines

__all__ = [
    "Ask",
    "Bill",
    "Dial",
    "Explorable",
    "FlowLab",
    "Hero",
    "OnePass",
    "StepPlane",
    "TwoLines",
    "KINDS",
]

#: The figures by the name that stands in their state.
KINDS: dict[str, type[Explorable]] = {
    Kind.kind: Kind for Kind in (Ask, Bill, Dial, FlowLab, Hero, OnePass, StepPlane, TwoLines)
}
