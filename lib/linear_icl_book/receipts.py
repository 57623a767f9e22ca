"""Receipts: the only way a chapter checks a claim.

A receipt compares two independent computations of one quantity, prints one row and raises when
they disagree. At every call it also proves that it could have failed: the same judgement with
`predicted` moved by `resolution` must come out false.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ._sides import floats, positive, sides, stored

#: |z| that a Monte Carlo receipt accepts. Two-sided chance 6e-5, so that a book of a hundred
#: receipts, drawn with new seeds, raises one false alarm in about 160 runs.
Z_LEVEL = 4.0
LABEL = re.compile(r"(thm|lem|cor|prp|def|asm|err|ex)-[a-z0-9]+(-[a-z0-9]+)*")
#: The largest resolution of an equality, and of one by Monte Carlo, where more draws cost little.
#: An inequality has none: it states the slack of a bound.
COARSEST, COARSEST_DRAWN = 0.15, 0.1
_SIGNS = {"==": "=", "<=": "≤", ">=": "≥"}


class ReceiptError(AssertionError):
    """The two sides disagree, or the check could not have seen a disagreement."""


@dataclass(frozen=True, eq=False)
class Receipt:
    """One judged claim; the arrays hold float64, or Fractions where both sides are exact."""

    label: str
    relation: str
    predicted: np.ndarray
    measured: np.ndarray
    tolerance: float | None
    standard_error: np.ndarray | None
    resolution: float
    because: str

    @property
    def exact(self) -> bool:
        return self.predicted.dtype == object

    @property
    def scale(self) -> Any:
        """max(|predicted|, |measured|) over all entries."""
        return max(np.max(np.abs(self.predicted)), np.max(np.abs(self.measured)))

    @property
    def margin(self) -> Any:
        """How far an entry may lie on the wrong side."""
        if self.standard_error is not None:
            return Z_LEVEL * self.standard_error
        return self.tolerance or 0

    def excess(self, predicted: np.ndarray | None = None) -> np.ndarray:
        """How far each entry lies on the wrong side: |p − m|, m − p for "<=", p − m for ">="."""
        difference = (self.predicted if predicted is None else predicted) - self.measured
        if self.relation == "==":
            difference = np.abs(difference)
        # NumPy hands a 0-d array of Fractions back as a bare Fraction: wrap it again
        return np.asarray(-difference if self.relation == "<=" else difference)

    def holds(self, predicted: np.ndarray | None = None) -> bool:
        """The judgement, of the receipt's own prediction or of another one."""
        return bool(np.all(self.excess(predicted) <= self.margin))

    def steps(self) -> list[Any]:
        """What is added to an entry of the prediction to move it: resolution × scale, both ways
        for "==", the way that breaks it for an inequality."""
        step = (Fraction(self.resolution) if self.exact else self.resolution) * self.scale
        return {"==": [step, -step], "<=": [-step], ">=": [step]}[self.relation]

    def moved(self) -> Iterator[np.ndarray]:
        """Every prediction that the receipt must refuse: one entry moved by one of the steps."""
        for index in np.ndindex(self.predicted.shape):
            for step in self.steps():
                other = self.predicted.copy()
                other[index] = other[index] + step
                yield other

    def can_fail(self) -> bool:
        """True if a receipt that holds refuses every moved prediction; all entries at once."""
        excesses = (self.excess(np.asarray(self.predicted + step)) for step in self.steps())
        return all(bool(np.all(excess > self.margin)) for excess in excesses)

    def to_json(self) -> dict[str, Any]:
        """A dictionary that `from_json` reads back; exact numbers are strings such as "9/8"."""
        plain = asdict(self)
        for name in ("predicted", "measured", "standard_error"):
            value = plain[name]
            if value is not None:
                plain[name] = (value.astype(str) if value.dtype == object else value).tolist()
        return plain

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Receipt":
        """The receipt that `to_json` wrote."""
        known = {field.name: plain[field.name] for field in fields(cls)}
        for name in ("predicted", "measured", "standard_error"):
            if known[name] is not None:
                known[name] = stored(known[name])
        return cls(**known)

    def row(self) -> str:
        """The printed row: four significant digits, deviations as words, never rounding noise.

        The reason of a tolerance follows on a line of its own."""
        relative = float(-self.excess().max() / self.scale)
        sign = _SIGNS[self.relation]
        left, right = ("predicted", self.predicted), ("measured", self.measured)
        if self.relation != "==":  # an inequality reads as its claim: measured ≤ predicted
            left, right = right, left
            slack = f"{100 * relative:.4g} %" if relative >= 1e-4 else "< 0.01 %"
            verdict = f"slack {slack}"
        elif self.exact:
            verdict = "exact"
        elif self.standard_error is not None:
            verdict = f"|z| < {Z_LEVEL:g}"
        else:
            verdict = f"|Δ| < {_short(self.tolerance)}"
        if self.standard_error is not None and self.standard_error.size == 1:
            verdict += f", s.e. {self.standard_error.item():.2g}"
        sides = f"{left[0]:<9} {_show(left[1]):<10} {sign} {right[0]:<9} {_show(right[1]):<10}"
        reason = f"\n{'':<23}{self.because}" if self.because else ""
        return f"✓ {self.label:<20} {sides} {verdict}{reason}"


#: Every receipt of this process that held, in order.
log: list[Receipt] = []


def receipt(
    label: str,
    predicted: Any,
    measured: Any,
    *,
    relation: str = "==",
    tolerance: float | int | None = None,
    standard_error: Any = None,
    resolution: float | int = 0.01,
    because: str = "",
) -> None:
    """Check the claim `label` by two independent computations, print one row, or raise.

    What is claimed, by `relation`:

    - "==": |predicted − measured| <= tolerance in every entry (arrays of one shape), or
      |predicted − measured| <= 4 standard errors. Of `tolerance` and `standard_error` exactly
      one is given, unless both sides are exact (int, Fraction, rational sympy numbers): then
      neither, and equality is equality.
    - "<=": measured <= predicted, so `predicted` is the upper bound. One number a side, taken
      where the bound is tightest.
    - ">=": measured >= predicted, so `predicted` is the lower bound. The same otherwise.
      An inequality may have a `tolerance` for rounding or a `standard_error`; it needs neither.

    `tolerance` is absolute and comes with its reason, `because`.

    The receipt must be able to fail: with any entry of `predicted` moved by
    resolution × max(|predicted|, |measured|) over all entries, both ways for "==" and the
    breaking way for an inequality, the claim must be false. (Hence a curve over many decades is
    compared by its logarithm: beside its largest value the small ones would not count.) For an
    inequality `resolution` has to exceed the relative slack that the row prints; the error names
    the value needed. For an equality it is at most 0.15, with a standard error at most 0.1.
    A claim that something is zero compares two non-zero sides.

    Each receipt is kept in `linear_icl_book.receipts.log` and, if the environment variable
    LINEAR_ICL_RECEIPTS names a file, written there as JSON.

    Raises ReceiptError (an AssertionError) when the claim or its power to fail is missing;
    ValueError for misuse.

    >>> from fractions import Fraction
    >>> receipt("lem-ess", Fraction(9, 8), 1 + Fraction(1, 8))
    ✓ lem-ess              predicted 9/8        = measured  9/8        exact
    >>> receipt("lem-u-bound", 0.30, 0.31, relation=">=", resolution=0.05)
    ✓ lem-u-bound          measured  0.31       ≥ predicted 0.3        slack 3.226 %
    """
    claim = _validated(
        label, predicted, measured, relation, tolerance, standard_error, resolution, because
    )
    if not claim.holds():
        raise ReceiptError(_disagreement(claim))
    if not claim.can_fail():
        raise ReceiptError(_powerless(claim))
    log.append(claim)
    _write_log()
    print(claim.row())


def read(path: str | os.PathLike[str]) -> list[Receipt]:
    """The receipts that one process wrote to the file of LINEAR_ICL_RECEIPTS.

    Raises ValueError, with the file, if it holds anything else."""
    try:
        return [Receipt.from_json(plain) for plain in json.loads(Path(path).read_bytes())]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"path must hold receipts, got {path}, damaged: {error!r}; write it anew with "
            f"python -m pytest --nbval book"
        ) from error


def _validated(
    label: str,
    predicted: Any,
    measured: Any,
    relation: str,
    tolerance: float | int | None,
    standard_error: Any,
    resolution: float | int,
    because: str,
) -> Receipt:
    if not isinstance(label, str) or not LABEL.fullmatch(label):
        raise ValueError(f"label must be a book label such as 'thm-limit', got {label!r}")
    if relation not in _SIGNS:
        raise ValueError(f"relation must be one of {', '.join(_SIGNS)}, got {relation!r}")
    left, right = sides("predicted", predicted), sides("measured", measured)
    exact = left.dtype == object and right.dtype == object
    if not exact:
        left, right = floats("predicted", left), floats("measured", right)
    if left.shape != right.shape:
        raise ValueError(
            f"predicted and measured must have one shape, got {left.shape} and {right.shape}"
        )
    if left.size == 0:
        raise ValueError(f"there must be something to compare, got shape {left.shape}")
    if relation != "==" and left.size != 1:
        raise ValueError(
            f"an inequality takes one number a side, got shape {left.shape}; "
            "give the entry where the bound is tightest"
        )
    if not any(left.flat) and not any(right.flat):
        raise ValueError(f"{label}: both sides are zero; compare two non-zero sides")
    if exact and (tolerance is not None or standard_error is not None):
        raise ValueError("two exact sides take neither tolerance nor standard_error, got one")
    if tolerance is not None and standard_error is not None:
        raise ValueError("give a tolerance or a standard_error, got both")
    if relation == "==" and not exact and tolerance is None and standard_error is None:
        raise ValueError("an equality of floats needs a tolerance or a standard_error, got none")
    error = None
    if standard_error is not None:
        error = floats("standard_error", sides("standard_error", standard_error))
        if error.shape not in ((), left.shape) or not np.all(error > 0):
            raise ValueError(
                f"standard_error must be positive, of shape () or {left.shape}, got {error}"
            )
    if tolerance is not None:
        tolerance = positive("tolerance", tolerance)
        if not because.strip():
            raise ValueError("a tolerance comes with its reason, got none; fill in because=…")
    resolution = positive("resolution", resolution)
    if resolution >= 1:
        raise ValueError(f"resolution must be below 1 (0.01 is one percent), got {resolution}")
    coarsest = COARSEST if error is None else COARSEST_DRAWN
    if relation == "==" and resolution > coarsest:
        raise ValueError(
            f"resolution of an equality must be at most {coarsest:g}"
            f"{'' if error is None else ' with a standard error'}, got {resolution:g}; "
            f"{'use a smaller tolerance' if error is None else 'draw more'}"
        )
    return Receipt(label, relation, left, right, tolerance, error, resolution, because.strip())


def _short(number: Any) -> str:
    """1e-9 rather than 1e-09."""
    return re.sub(r"e([+-])0+", r"e\1", f"{float(number):.4g}").replace("e+", "e")


def _show(array: np.ndarray) -> str:
    """A number to four digits, a short fraction as it is, an array by its Euclidean norm."""
    if array.size > 1:
        return f"‖·‖={_short(np.linalg.norm(array.astype(np.float64)))}"
    text = str(array.item())
    return text if array.dtype == object and len(text) <= 10 else _short(array.item())


def _disagreement(claim: Receipt) -> str:
    worst = np.unravel_index(np.argmax(claim.excess() - claim.margin), claim.predicted.shape)
    where = f" at entry {tuple(int(k) for k in worst)}" if claim.predicted.ndim else ""
    claimed = "==" if claim.relation == "==" else f"measured {claim.relation} predicted"
    allowed = f"{Z_LEVEL:g} standard errors" if claim.standard_error is not None else "tolerance"
    margin = np.broadcast_to(claim.margin, claim.predicted.shape)[worst]
    return (
        f"{claim.label}: {claimed} is false{where}: predicted {claim.predicted[worst]}, "
        f"measured {claim.measured[worst]}, off by {float(claim.excess()[worst]):.3g}, "
        f"allowed {allowed} {float(margin):.3g}"
    )


def _powerless(claim: Receipt) -> str:
    blind = np.abs(claim.excess()) + claim.margin  # the largest step that some entry overlooks
    needed = float(np.max(blind) / claim.scale)
    cure = (
        "stand where the bound is tightest, or"
        if claim.relation != "=="
        else "use a smaller tolerance or standard error, or sides further from zero, or"
    )
    return (
        f"{claim.label}: this check cannot see a change of {100 * claim.resolution:g} %: predicted "
        f"{_show(claim.predicted)}, measured {_show(claim.measured)}; {cure} state "
        f"resolution > {needed:.4g}"
    )


def _write_log() -> None:
    path = os.environ.get("LINEAR_ICL_RECEIPTS")
    if not path:
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(target.name + ".part")  # a killed run leaves the old file whole
    text = json.dumps([entry.to_json() for entry in log], ensure_ascii=False, indent=1)
    draft.write_text(text, encoding="utf-8")
    draft.replace(target)
