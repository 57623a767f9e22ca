"""Formulas of docstrings, in plain characters, turned into the TeX that `tex` evaluates."""

from __future__ import annotations

import re
import unicodedata

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ᵢ", "0123456789i")
CHANGED = (
    (r"⟨([^,⟩]*), ([^⟩]*)⟩", r"tr((\1)(\2)ᵀ)"),
    (r"[−]", "-"),
    (r"₊", ""),
    (r"·", r"\\cdot "),
    (r"\{", "("),
    (r"\}", ")"),
    (r"‖([²³]?)_(op|\w)", lambda m: rf"\|_{{{m[2]}}}" + m[1]),
    (r"_\(i>1\)", r"_{i>1}"),
    (r"\^(?:\(([-]?)½\)|([-]?)½)", lambda m: f"^{{{m[1] or m[2] or ''}1/2}}"),
    (r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: f"^{{{m[0].translate(RAISED)}}}"),
    (r"[₀-₉ᵢ]+", lambda m: _index(m[0].translate(LOWERED))),
    (r"ᵀ", r"^\\top "),
    (r"‖", r"\\|"),
    (r"½", r"\\frac12 "),
    (r"¾", r"\\frac34 "),
    (r"√", r"\\sqrt "),
    (r"\*", r"^\\ast "),
    (r"Σ_", r"\\sum_"),
    (r"\bmin(?=[_(])", r"\\min"),
    (r"\bln(?=\W)", r"\\ln "),
    (r"\bexp(?=\()", r"\\operatorname{exp}"),
    (r"(?<![A-Za-z])tr(?=\W|[A-ZΑ-Ω])", r"\\operatorname{tr}"),
    (r"[Α-ω]", lambda m: _greek(m[0]) + " "),
)


def _greek(letter: str) -> str:
    """Λ is \\Lambda, φ is \\varphi as in the book."""
    words = unicodedata.name(letter).replace("LAMDA", "LAMBDA").split()
    name = words[-1].lower().replace("phi", "varphi" if words[1] == "SMALL" else "phi")
    return "\\" + (name.capitalize() if words[1] == "CAPITAL" else name)


def _index(read: str) -> str:
    return f"_{read}" if len(read) == 1 else f"_{{{read}}}"


def as_tex(formula: str) -> str:
    """½‖Γ⁻¹a‖²_Λ/N² as \\frac12\\|\\Gamma^{-1}a\\|_{\\Lambda}^{2}/N^{2}."""
    for old, new in CHANGED:
        formula = re.sub(old, new, formula)
    return formula
