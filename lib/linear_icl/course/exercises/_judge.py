"""Right, or what kind of wrong: an answer against the right one."""

from __future__ import annotations

from typing import Any

import numpy as np

from linear_icl.course.exercises._exercise import Exercise


def matches(answer: np.ndarray, wanted: np.ndarray, tolerance: float) -> bool:
    """Equal up to axes of length one, and to tolerance times the largest entry of `wanted`."""
    answer, wanted = np.squeeze(answer), np.squeeze(wanted)
    if answer.shape != wanted.shape:
        return False
    scale = np.max(np.abs(wanted)) or 1.0
    return bool(np.max(np.abs(answer - wanted)) <= tolerance * scale)


def number_array(value: Any) -> np.ndarray:
    """The float64 array of a value that an exercise itself computes."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    return np.asarray(value, dtype=np.float64)


def judge(exercise: Exercise, numbers: dict[str, Any], answer: Any) -> tuple[bool, str]:
    """Whether the answer is right, and what to tell the student."""
    wanted = exercise.solve(**numbers)
    tolerance = 0.0 if isinstance(wanted, int) else exercise.tolerance
    right, given = number_array(wanted), number_array(answer)
    if matches(given, right, tolerance):
        return True, f"✓ {exercise.number} right."
    for mistake in exercise.mistakes:
        wrong = number_array(mistake.value(**numbers))
        if not matches(wrong, right, tolerance) and matches(given, wrong, tolerance):
            return False, f"✗ {exercise.number} not yet: {mistake.what}."
    return False, f'✗ {exercise.number} not yet. hint("{exercise.number}") helps.'
