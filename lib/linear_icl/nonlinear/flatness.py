"""Whether a learning curve is flat at its end: the one rule that all records are judged by."""

from collections.abc import Sequence

LAST, FALL = 0.1, 0.1
RULE = (
    f"flat: in the last {LAST:.0%} of the steps the held-out risk at the query, less Bayes', falls "
    f"by less than {FALL:.0%}"
)


def fall(steps: Sequence[int], excess: Sequence[float]) -> float:
    """By which share the excess falls in the last tenth of the steps; negative if it grows.

    1 - e(S)/e(t) with S the last of the ``steps`` and t the last of those up to 0.9 S; 0 if
    nothing is left to fall. The rate of a run decays to zero, so flat means that these steps are
    used up, not that a longer run would end no lower.
    Raises ValueError for fewer than two steps, or unless there is one excess for each.
    """
    if len(steps) != len(excess) or len(steps) < 2 or steps[0] > (1 - LAST) * steps[-1]:
        raise ValueError(
            f"steps and excess must be of one length, one step in the first {1 - LAST:.0%} of "
            f"them, got {len(steps)} and {len(excess)}; take the evaluations of a finished run"
        )
    before = max(k for k, step in enumerate(steps) if step <= (1 - LAST) * steps[-1])
    return 1 - excess[-1] / excess[before] if excess[before] > 0 else 0.0
