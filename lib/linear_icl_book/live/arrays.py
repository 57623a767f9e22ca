"""Reading numbers from tensors, arrays, lists and plain numbers, on the way to the page."""

from typing import Any

import numpy as np

LARGEST = 1e300  # beyond it a range of values, and so the step of its code, overflows


def real(name: str, value: Any) -> np.ndarray:
    """`value` as an int64 or float64 array, from any device; NaN is kept.

    Raises ValueError, with `name`, for anything that is not real numbers.
    """
    plain = value.detach().cpu() if hasattr(value, "detach") else value
    try:
        array = np.asarray(plain)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be real numbers of one length, got {value!r}") from error
    if array.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} must be real numbers, got dtype {array.dtype}; "
            "take the real part, or the numbers out of their list"
        )
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def open_ended(name: str, value: Any) -> np.ndarray:
    """`real` as float64: NaN says that nothing is to be drawn, an infinity that it has no bound."""
    array = real(name, value).astype(np.float64)
    if (np.isfinite(array) & (np.abs(array) > LARGEST)).any():
        raise ValueError(
            f"{name} must be below {LARGEST:g} or infinite, got {np.abs(array).max():g}; "
            "return inf for what has no bound"
        )
    return array


def without_inf(name: str, value: Any) -> np.ndarray:
    """`real` as float64, without infinities: NaN says that there is nothing to draw."""
    array = real(name, value).astype(np.float64)
    if (np.abs(array) > LARGEST).any():
        raise ValueError(
            f"{name} must be finite or NaN, got {array[np.abs(array) > LARGEST][0]}; "
            "return NaN where nothing is to be drawn"
        )
    return array
