"""Validation with one voice: "CONDITION, got VALUE; LIKELY FIX".

A value that does not fit is a ValueError, numbers of the wrong kind included; an object of another
class than the one asked for (a Setting, a law, prompts, a landscape) is a TypeError.

Values are judged where they can be read: on the ``meta`` device, and inside ``torch.func``
transforms, shape, dtype and device are checked and the rest is taken on trust.
"""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import Parameter, signature
from types import EllipsisType
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from torch import Tensor

from . import _torch
from ._types import ArrayLike, Count, Generator

Shape = tuple[int | str | EllipsisType, ...]
Like = tuple[str, Tensor]  # an argument that others follow: its name and value
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")

SHOWN = 4  # entries of a vector in a repr
FLOATS = (torch.float32, torch.float64)  # eigenvalues and Cholesky factors exist for these


def readable(value: Tensor) -> bool:
    """Whether numbers can be read off (not on ``meta``, not inside vmap, grad or jvp)."""
    return not (value.is_meta or _torch.wrapped(value))


def tensor(
    name: str, value: ArrayLike, *, shape: Shape | None = None, like: Like | None = None
) -> Tensor:
    """A finite floating-point tensor from a tensor, an array, nested lists or a number.

    Tensors pass unchanged (same object, gradient kept); everything else becomes float64, or
    takes device and dtype of ``like``, a pair (name, tensor). ``shape`` holds sizes, or letters
    that name a size which is free (one size, not 0, for a letter that stands twice), and may start
    with ``...`` for leading batch axes. Raises
    ValueError for bool, integer tensors, complex numbers, strings, ragged lists, NaN, infinity,
    another shape, another device or dtype.
    """
    result = value if isinstance(value, Tensor) else _from_numbers(name, value, like)
    if result.dtype not in FLOATS:
        raise ValueError(
            f"{name} must hold float32 or float64 numbers, got a tensor of {result.dtype}; "
            f"convert it with .double()"
        )
    if like is not None:
        together((name, result), like)
    if shape is not None:
        _shape(name, result, shape)
    if readable(result) and not torch.isfinite(result).all():
        index = tuple((~torch.isfinite(result)).nonzero()[0].tolist())
        raise ValueError(
            f"{name} must be finite, got {result[index].item()} at index {index}; "
            f"did a division or a logarithm before it fail?"
        )
    return result


def _from_numbers(name: str, value: Any, like: Like | None) -> Tensor:
    parts = getattr(value, "_fields", None)
    if parts is not None:  # prompts above all
        fix = "write layer.predict(prompts), or prompts.embedding(prompts) for E"
        raise ValueError(
            f"{name} must be one array of numbers, got {type(value).__name__}; "
            + (fix if name == "E" else f"name one of its parts: {', '.join(parts)}")
        )
    try:
        array = np.asarray(value)
    except Exception as error:  # ragged lists, lists of tensors that require gradients, ...
        raise ValueError(
            f"{name} must be a rectangular array of numbers, got {_brief(value)}; "
            f"use torch.stack for a list of tensors"
        ) from error
    if array.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} must be real numbers, got {_brief(value)}; "
            f"pass a tensor, an array, a list or a number"
        )
    array = array.astype(np.float64)
    if like is None:
        return torch.tensor(array, dtype=torch.float64)
    return torch.tensor(array, dtype=like[1].dtype, device=like[1].device)


def _brief(value: Any) -> str:
    text = " ".join(repr(value).split())
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def _shape(name: str, value: Tensor, shape: Shape) -> None:
    batched = bool(shape) and shape[0] is ...
    sizes = shape[1:] if batched else shape
    actual = tuple(value.shape)
    tail = actual[len(actual) - len(sizes) :] if len(actual) >= len(sizes) else ()
    right_rank = len(actual) >= len(sizes) if batched else len(actual) == len(sizes)
    known: dict[Any, int] = {}
    fits = right_rank and all(
        o == (s if isinstance(s, int) else known.setdefault(s, o))
        for s, o in zip(sizes, tail, strict=True)
    )
    if not fits or any(o == 0 for s, o in known.items() if sizes.count(s) > 1):
        wanted = ["..."] * batched + [str(s) for s in sizes]
        fix = "is an axis missing, or are two swapped?"
        if len(sizes) == 2 and sizes[0] == sizes[1]:
            if not actual and sizes[0] in (1, "d"):
                fix = "for d = 1 write [[value]]"
            elif (len(actual) == 1 or 1 in actual[-2:]) and sizes[0] in (*actual, "d"):
                fix = "for a diagonal matrix write torch.diag(values)"
        elif len(sizes) == 1 and not actual and readable(value):
            fix = f"for a single one write [{value.item():g}]"
        elif len(sizes) == 1 and len(actual) > 1 and actual[-1] == 1:
            fix = "a vector is no column, write it with .squeeze(-1)"
        raise ValueError(
            f"{name} must have shape ({', '.join(wanted)}{',' * (len(wanted) == 1)}), "
            f"got {actual}; {fix}"
        )


def together(*named: Like) -> None:
    """All on one device and of one dtype, else a ValueError that names the two that differ."""
    (first, reference), *rest = named
    for name, value in rest:
        if value.device != reference.device:
            raise ValueError(
                f"{first} and {name} must be on one device, got {reference.device} and "
                f"{value.device}; move one with .to(device)"
            )
        if value.dtype != reference.dtype:
            raise ValueError(
                f"{first} and {name} must have one dtype, got {reference.dtype} and "
                f"{value.dtype}; convert one with .to(dtype)"
            )


def covariance(
    name: str,
    value: ArrayLike,
    *,
    shape: Shape = (..., "d", "d"),
    like: Like | None = None,
    semidefinite: bool = False,
) -> Tensor:
    """A symmetric positive definite (or semidefinite) matrix, or several.

    Symmetry may be missed by rounding only: 100 eps of the largest entry, the error of a product
    Q diag(λ) Qᵀ. "Positive" is above d eps of the largest eigenvalue, what rounding can move it by.
    """
    matrix = tensor(name, value, shape=shape, like=like)
    kind = "semidefinite" if semidefinite else "definite"
    if not readable(matrix):
        return matrix
    detached = matrix.detach()
    eps = torch.finfo(matrix.dtype).eps
    skew = (detached - detached.mT).abs().amax()
    if skew > 100 * eps * detached.abs().amax():
        raise ValueError(
            f"{name} must be symmetric positive {kind}, got entries (i,j) and (j,i) that differ "
            f"by {skew.item():.3g}; symmetrise it: (A + A.mT) / 2"
        )
    eigenvalues = torch.linalg.eigvalsh(detached)
    floor = matrix.shape[-1] * eps * eigenvalues.abs().amax(-1)
    smallest = eigenvalues[..., 0]
    bad = smallest < -floor if semidefinite else smallest <= floor
    if bad.any():
        worst = smallest[bad].min().item()
        fix = (
            "drop the directions without variance"
            if abs(worst) <= floor.max()
            else ("did you pass a precision matrix?")
        )
        raise ValueError(
            f"{name} must be symmetric positive {kind}, got smallest eigenvalue {worst:.3g}; {fix}"
        )
    return matrix


def length(name: str, value: Count) -> int:
    """A context length or a count: an integer >= 1 (NumPy's integers too; not 3.0, not True)."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}; write e.g. {name}=8")
    return int(value)


def _bounded(
    name: str,
    value: ArrayLike,
    *,
    strict: bool,
    shape: Shape | None = None,
    like: Like | None = None,
) -> Tensor:
    result = tensor(name, value, shape=shape, like=like)
    if readable(result):
        bad = result <= 0 if strict else result < 0
        if bad.any():
            raise ValueError(
                f"{name} must be {'>' if strict else '>='} 0, got "
                f"{result[bad].min().item():.6g}; check its sign and its scale"
            )
    return result


positive = partial(_bounded, strict=True)
"""Numbers > 0; arguments of :func:`tensor`."""

nonnegative = partial(_bounded, strict=False)
"""Numbers >= 0; arguments of :func:`tensor`."""


def device(value: Any) -> torch.device:
    """A device that exists here; else a ValueError that lists what does."""
    there = ["cpu", "meta"]
    there += [f"cuda:{k}" for k in range(torch.cuda.device_count())]
    there += ["mps"] * torch.backends.mps.is_available()
    try:
        wanted = torch.device(value)
        torch.empty(0, device=wanted)
    except Exception as error:  # torch raises a different type per backend
        raise ValueError(
            f"device must be one that exists here, got {value!r}; there is {', '.join(there)}"
        ) from error
    return wanted


def generator(
    name: str, value: Generator | None, where: torch.device, *, anywhere: bool = False
) -> torch.Generator | None:
    """A torch.Generator on the device where the numbers are drawn, or None.

    An integer n in [0, 2⁶³) is a fresh generator there with seed n: the same numbers at every call.
    ``anywhere`` takes one on any device, where only the caller knows what is drawn with it.
    """
    if value is None:
        return None
    if isinstance(value, torch.Generator):
        same = value.device.type == where.type and (value.device.index or 0) == (where.index or 0)
        if not same and not anywhere:
            raise ValueError(
                f"{name} must be on the device of the samples, got {value.device} for {where}; "
                f"write torch.Generator(device={str(where)!r})"
            )
        return value
    integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not integer or not 0 <= value < 2**63:
        raise ValueError(
            f"{name} must be a torch.Generator or None, or an integer >= 0 as its seed, got "
            f"{_brief(value)}; write e.g. {name}=0"
        )
    # On meta nothing is drawn.
    return None if where.type == "meta" else torch.Generator(where).manual_seed(int(value))


def seeded(name: str, value: Generator, where: torch.device | None = None) -> torch.Generator:
    """As :func:`generator`, on any device, but not None, which would draw from the global state.

    An integer gives a generator on ``where``, by default torch's default device.
    """
    source = generator(name, value, where or torch.get_default_device(), anywhere=True)
    if source is None:
        raise ValueError(f"{name} must be a torch.Generator, got None; write e.g. {name}=0")
    return source


def exactly_one(caller: str, fix: str, **given: Any) -> None:
    """Raise ValueError unless exactly one of the two named arguments is not None."""
    present = sum(value is not None for value in given.values())
    if present != 1:
        raise ValueError(
            f"{caller} takes {' or '.join(given)}, got {'both' if present else 'neither'}; {fix}"
        )


def choice(name: str, value: Any, table: Mapping[str, Value]) -> Value:
    """``table[value]``, or a ValueError that lists the names."""
    if not isinstance(value, str) or value not in table:
        raise ValueError(f"{name} must be one of {', '.join(table)}, got {value!r}; check spelling")
    return table[value]


def given(**values: Tensor) -> str:
    """What a repr says of numbers and vectors that are set: ", name=value", nothing for zeros."""
    shown = ""
    for name, value in values.items():
        if readable(value) and value.any():
            first = [f"{number:.4g}" for number in value.flatten()[:SHOWN].tolist()]
            listed = ", ".join(first + ["..."] * (value.numel() > SHOWN))
            shown += f", {name}=" + (f"[{listed}]" if value.ndim else listed)
    return shown


def instance(name: str, value: Any, kind: type, *, noun: str, fix: str) -> None:
    """Raise TypeError "NAME must be NOUN, got TYPE; FIX" unless ``value`` is a ``kind``.

    A class that stands where one of its objects should is told so, with the call to write.
    """
    if not isinstance(value, type):
        if isinstance(value, kind):
            return
        got = type(value).__name__
    else:
        got = f"the class {value.__name__}"
        # A class has the attributes that a protocol asks its objects for.
        if value is not kind and (kind in value.__mro__ or isinstance(value, kind)):
            fix = f"write {value.__name__}({'...' * _needs_arguments(value)})"
    raise TypeError(f"{name} must be {noun}, got {got}; {fix}")


def _needs_arguments(kind: type) -> bool:
    """Whether the class cannot be called without arguments."""
    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return any(
        p.default is Parameter.empty and p.kind not in several
        for p in signature(kind).parameters.values()
    )


def judged(
    name: str, kind: type, noun: str, fix: str
) -> Callable[[Callable[Arguments, Value]], Callable[Arguments, Value]]:
    """A decorator that passes one argument through :func:`instance` before the function runs."""

    def decorate(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
        place = list(signature(function).parameters).index(name)

        @wraps(function)
        def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
            if name not in kwargs and place >= len(args):
                raise TypeError(f"{name} must be given, {noun}; {fix}")
            instance(
                name, kwargs[name] if name in kwargs else args[place], kind, noun=noun, fix=fix
            )
            return function(*args, **kwargs)

        return checked

    return decorate
