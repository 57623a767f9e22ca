"""What the text alternatives of live figures say of rising, falling, above and below, and whether
that holds in the numbers that the figures draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.pages.packed import Numbers, stops
from tests.pages.said import falls, rises, split

At = Callable[..., Numbers]
VARIANCES = (1.5, 2, 2.5, 3, 4, 5, 6, 8)  # that one step may serve exactly, in chapter 5


def when(x: Any, holds: Any) -> float:
    """The first x where it holds; infinity if nowhere."""
    return float(x[int(np.argmax(holds))]) if np.any(holds) else np.inf


def averaging(at: At) -> bool:
    return all(at(noise=n)["averaging"].min() > 0.9 * at()["silence"][0] for n in (0.001, 1))


def flattens(at: At) -> bool:
    """Its last doubling saves a smaller share than that of least squares."""

    def slope(curve: Any, x: Any) -> float:
        return float(np.log(curve[-1] / curve[-2]) / np.log(x[-1] / x[-2]))

    d = at()
    return slope(d["trained step"], d["x"]) > 0.7 * slope(d["least squares"], d["x"])


def one_over(d: Numbers, name: str, within: float) -> bool:
    slope = float(np.polyfit(np.log(d["x"]), np.log(d[name]), 1)[0])
    return abs(slope + 1) < within


def plateau(at: At) -> bool:
    d = at()
    level = abs(d["loss"] - d["silence"]) < 0.01 * d["silence"]
    return falls(d["loss"]) and bool(level[:5].all()) and not level[-1]


def race(at: At) -> bool:
    stop = stops("pl_convergence", "two-ways-to-make-a", "ratio")
    won = [at(ratio=r)["‖uU‖"][-1] > at(ratio=r)["‖u₁₂u₂₁ᵀ‖"][-1] for r in stop]
    high = [at(ratio=r)["loss"][-1] > 1.1 * at()["best possible loss"][0] for r in stop]
    ordered = won == sorted(won, reverse=True) and 0 < sum(won) < len(won)
    return bool(ordered and [not w for w in won] == high)


def heat_to_the_right(at: At) -> bool:
    return all(bool((np.diff(grid(at(noise=n)), axis=1) < 0).all()) for n in (0, 1, 3))


def grid(d: Numbers) -> Any:
    """Rows upwards, columns to the right."""
    return np.array(d["risk"]).reshape(len(d["x"]), -1)


def area(d: Numbers, name: str) -> Any:
    """How high a band is at each x."""
    low, high = d[name]
    return high - low


WHY_SHORT = ("the points' own wobble", "the other directions", "label noise")


def stacked(d: Numbers, base: str, names: tuple[str, ...], top: float) -> bool:
    """The bands stand on the curve and on each other, each has an area, and they end at the top."""
    lows = [d[name][0] for name in names]
    edges = [d[base], *(d[name][1] for name in names)]
    meet = all(abs(low - edge).max() < 1e-3 for low, edge in zip(lows, edges, strict=False))
    return (
        meet and all(area(d, n).max() > 0.01 for n in names) and abs(edges[-1] - top).max() < 1e-3
    )


def heat_upwards(at: At) -> bool:
    """Up to the line each column falls; above, it rises. Between two rows the line may pass."""
    for noise in (0, 1, 3):
        d = at(noise=noise)
        for column, best in zip(grid(d).T, d["best N"][1], strict=True):
            row = int(np.argmin(column))
            low, high = d["x"][max(row - 1, 0)], d["x"][min(row + 1, len(d["x"]) - 1)]
            if not (low <= best * 1.01 and best <= high * 1.01):
                return False
            if (np.diff(column[: row + 1]) > 0).any() or (np.diff(column[row:]) < 0).any():
                return False
    return True


def steps_slide(at: At) -> bool:
    """From the step zero each path rises to the dashed curve, stays on it, and ends lower."""
    d = at()
    starts, best = d["best step"]
    paths = [(x, y) for x, y in split(d["paths"]) if y[0] < 0.1]
    on_it = [abs(y - np.interp(x, starts, best))[len(y) // 2 :].max() < 0.02 for x, y in paths]
    slid = [y.max() > y[-1] and abs(x[-1] - 1) < 0.01 for x, y in paths]
    return len(paths) >= 5 and all(on_it) and all(slid)


def scatter(at: At, name: str) -> list[float]:
    means = stops("ltb_vs_lsa", "two-learners-and-a-mean", "beta")
    pairs = [at(beta=beta)[name] for beta in means]
    return [float(np.std(y - x)) for x, y in pairs]


def positions(at: At, name: str, test: str, family: str) -> float:
    """Risk at the first length beyond training over that at the training length."""
    curve = at(test=test, family=family)[name]
    return float(curve[12] / curve[11])


TESTS = ("fixed", "random, c = 1", "random, c = 2", "random, c = 3")
FAMILIES = ("fixed", "random")


LONG = (1.1, 1.2, 1.3, 1.4, 1.5, 1.6)  # times the longest stable step


def keys(at: At) -> tuple[int, int]:
    """At how many times each loss is level with "one direction known": merged, apart."""
    d = at()
    level, whole = d["one direction known"][0], d["merged"][0] - d["best possible"][0]
    merged, apart = d["merged"], d["keys and queries apart"]
    return sum(abs(merged - level) < 0.02 * whole), sum(abs(apart - level) < 0.02 * whole)


def slopes(at: At) -> tuple[float, float]:
    """Of the mean given the query, near zero and far out, over that of the fitted line."""
    d = at()
    (x, y), line = d["mean"], d["fitted line"]
    slope = np.gradient(y, x) / (np.ptp(line[1]) / np.ptp(line[0]))
    return float(slope[len(slope) // 2]), float(slope[-1])


def half(d: Numbers, name: str, level: float) -> float:
    return when(d["x"], d[name] > level)


def crosses(d: Numbers, name: str) -> float:
    return when(d["x"], d[name] > 1.001 * d["zero"])


# (page, figure): words of its text alternative, and whether they hold.
ALTS: dict[tuple[str, str], dict[str, Callable[[At], bool]]] = {
    ("icl_definitions", "risk-of-four-learners"): {
        "Least squares falls without end": lambda at: all(
            falls(at(noise=n)["least squares"])
            and at(noise=n)["least squares"][-1] < 0.05 * n + 1e-3
            for n in (0.001, 0.1, 1)
        ),
        "the trained step flattens out": flattens,
        "averaging is never far below silence": averaging,
    },
    ("icl_definitions", "finite-numbers-of-tasks"): {
        "The excess falls roughly like one over": lambda at: one_over(at(), "excess", 0.2),
        "crosses the line of the best risk": lambda at: all(
            at(length=n)["excess"][0] > at(length=n)["best risk"][0] > at(length=n)["excess"][-1]
            for n in stops("icl_definitions", "finite-numbers-of-tasks", "length")
        ),
    },
    ("lsa_quadratic_reduction", "softmax-and-linear-attention"): {
        "softmax bends back to zero": lambda at: (
            abs(at(sharpness=5)["softmax"][0]) < 0.01 < 0.3 < abs(at()["softmax"]).max()
        ),
    },
    ("pl_convergence", "plateau-and-escape"): {
        "a plateau near the level of silence, then a steep fall": plateau,
    },
    ("pl_convergence", "learning-curves-by-direction"): {
        "Four rising curves, the strongest direction first": lambda at: (
            rises([half(at(), f"direction {k}", 0.5) for k in (1, 2, 3, 4)])
            and all(falls(at()[f"direction {k}"][:40], 1) for k in (1, 2, 3, 4))
        ),
    },
    ("pl_convergence", "two-ways-to-make-a"): {
        "for large ones the other, and the loss ends higher": race,
    },
    ("distribution_shifts", "risk-and-its-parts"): {
        "The risk falls with the variance": lambda at: (
            falls(at()["trained layer"]) and one_over(at(), "variance", 0.01)
        ),
        "until it reaches the sum of the bias and of the best linear": lambda at: all(
            np.ptp(d["trained layer"] - d["variance"]) < 2e-3
            and abs(d["trained layer"] - d["variance"] - d["bias"] - d["best linear"]).max() < 2e-3
            for d in [at()]
        ),
    },
    ("distribution_shifts", "risk-over-both-lengths"): {
        "to the right the risk falls": heat_to_the_right,
        "upwards it falls as far as the line of the best training length": heat_upwards,
    },
    ("random_covariance", "which-variance-is-served"): {
        "touches zero at one variance": lambda at: all(
            abs(d["x"][np.argmin(d["left along λ"])] - one) < 0.15
            and d["left along λ"].min() < 0.01
            and np.ptp(d["x"][d["left along λ"] < 0.01]) < 1.8
            for one in VARIANCES
            for d in [at(exactly=one)]
        ),
        "lowest when that variance is three": lambda at: (
            np.argmin([at(exactly=one)["left in all"][0] for one in VARIANCES])
            == VARIANCES.index(3)
        ),
    },
    ("random_covariance", "training-on-random-covariances"): {
        "The diagonal entry rises after a plateau": lambda at: (
            rises(at()["uU₁₁"]) and at()["uU₁₁"][7] < 0.05 * at()["uU₁₁"][-1]
        ),
        "to its limit": lambda at: abs(at()["uU₁₁"][-1] / at()["limit"][0] - 1) < 0.01,
        "which is below that of a constant law, the more so the wider": lambda at: (
            rises([at(shape=k)["limit"][0] for k in (0.25, 0.5, 1, 2, 4, 8, 64)])
            and at(shape=64)["limit"][0] < at()["constant law"][0]
        ),
    },
    ("random_covariance", "random-covariances-at-test"): {
        "is above the line of zero from root two on": lambda at: all(
            1.38 < crosses(at(length=n), "trained on random") < 1.48 for n in (5, 100, 100_000)
        ),
        "crosses it earlier": lambda at: crosses(at(), "trained on fixed") < 1,
    },
    ("random_covariance", "what-the-query-reveals"): {
        "flatter than the line near zero and steeper far out": lambda at: (
            slopes(at)[0] < 0.5 and slopes(at)[1] > 2
        ),
    },
    ("ltb_vs_lsa", "two-learners-and-a-mean"): {
        "scatter more and more as the mean grows": lambda at: (
            rises(scatter(at, "best layer")) and np.ptp(scatter(at, "best block")) < 1e-3
        ),
    },
    ("ltb_vs_lsa", "the-price-of-the-mean"): {
        "level for small means and ends on the upper line": lambda at: all(
            np.ptp(at(noise=noise)["price"][:3]) < 1e-3
            and abs(at(noise=noise)["price"][-1] - at()["one gauge"][0]) < 0.01
            for noise in (0, 3, 300)
        ),
        "the louder the labels, the lower it begins": lambda at: falls(
            [at(noise=noise)["price"][0] for noise in (0, 0.3, 1, 3, 10, 30, 100, 300)]
        ),
    },
    ("ltb_vs_lsa", "the-price-of-the-mean-in-the-plane"): {
        "over its lower bound": lambda at: all(
            (at(noise=noise)["price"] > at()["lower bound"]).all() for noise in (0, 3, 300)
        ),
        "ends on the upper line": lambda at: all(
            abs(at(noise=noise)["price"][-1] - at()["large means"][0]) < 0.01
            for noise in (0, 3, 300)
        ),
        "begins above that line, in loud noise below": lambda at: (
            at(noise=0)["price"][0] > 1.1 * at()["large means"][0]
            and at(noise=300)["price"][0] < 0.9 * at()["large means"][0]
        ),
    },
    ("gd_beta", "what-stays-of-a-miss"): {
        "the first falls, the second grows, the third is level": lambda at: (
            falls(area(at(), "the step stops short"))
            and rises(area(at(), "its points wobble"))
            and np.ptp(area(at(), "the other direction")) < 1e-4  # 16 bits
        ),
        "Their sum is least a little beyond the best step": lambda at: (
            0 < at()["x"][np.argmin(at()["the other direction"][1])] - at()["best step"][0] < 0.06
        ),
    },
    ("gd_beta", "a-step-from-zero-a-step-from-and-bayes"): {
        "the step from β* never above the step from zero": lambda at: all(
            (at(signal=s)["step from β*"] <= 1.001 * at(signal=s)["step from zero"]).all()
            for s in (0, 2, 8)
        ),
        "Bayes never above either": lambda at: all(
            (at(noise=n)["Bayes"] <= 1.001 * at(noise=n)["step from β*"]).all() for n in (0.001, 9)
        ),
        "with hardly any noise Bayes falls away": lambda at: (
            at(noise=0.001)["Bayes"][-1] < 1e-3 * at(noise=0.001)["step from β*"][-1]
        ),
    },
    ("gd_beta", "what-shortens-the-step"): {
        "a falling line, and above it three areas up to one": lambda at: (
            falls(at()["share of the way"]) and stacked(at(), "share of the way", WHY_SHORT, 1)
        ),
    },
    ("gd_beta", "one-step-in-units-of-bayes"): {
        "it rises towards its limit, which lies below the bound": lambda at: (
            rises(at()["one step"])
            and at()["one step"][-1] < at()["its limit"][0] < at()["bound 1 + 2 snr"][0]
        ),
    },
    ("gd_beta", "training-length-and-test-length"): {
        "touches the best curve at M = N and flattens at its floor": lambda at: all(
            (d["trained at N"] >= 0.999 * d["trained at M"]).all()
            and d["x"][np.argmin(d["trained at N"] / d["trained at M"])] == n
            and d["trained at N"][-1] < 1.05 * d["floor"][0]
            for n in (2, 8)
            for d in [at(N=n)]
        ),
    },
    ("gd_beta", "start-and-step-together"): {
        "the step runs to the dashed curve, and slides down it": steps_slide,
    },
    ("nonlinear_transformers", "longer-than-in-training"): {
        "it jumps up at the first length beyond training, except at the largest": lambda at: (
            all(
                (positions(at, "learned positions", test, family) > 1.8) == (test in TESTS[:2])
                for test in TESTS
                for family in FAMILIES
            )
            and all(
                positions(at, "no positions", test, family) < 1.05
                for test in TESTS
                for family in FAMILIES
            )
        ),
    },
    ("open_questions", "steps-of-finite-length"): {
        "Short steps stay near the level where the flow ends": lambda at: all(
            np.abs(at(share=share)["u"] - at()["flow ends"][0]).max() < 0.02 for share in (0.5, 0.9)
        ),
        "Longer ones are thrown off it, and settle at a smaller": lambda at: (
            falls([at(share=share)["u"][-1] for share in LONG])
            and all(np.ptp(at(share=share)["u"][-20:]) < 5e-3 for share in LONG)
        ),
        "near the upper edge of the band": lambda at: all(
            abs(high[-1] - at(share=share)["u"][-1]) < 0.02
            for share in LONG
            for _, high in [at(share=share)["stable minima"]]
        ),
        "the longest end at zero": lambda at: np.abs(at(share=1.7)["u"][-20:]).max() < 0.15,
    },
    ("open_questions", "keys-apart-from-queries"): {
        "With merged weights the loss falls once": lambda at: (
            falls(at()["merged"]) and keys(at)[0] < 6
        ),
        "it falls later": lambda at: (
            when(at()["x"], at()["merged"] < 0.8)
            < when(at()["x"], at()["keys and queries apart"] < 0.8)
        ),
        "to the level at which one direction is known, rests there, and falls again": lambda at: (
            keys(at)[1] > 20
            and falls(at()["keys and queries apart"])
            and abs(at()["keys and queries apart"][-1] - at()["best possible"][0]) < 0.01
        ),
    },
    ("using_the_package", "logistic-growth"): {
        "rises earlier for larger rates": lambda at: falls(
            [half(at(rate=r), "u", 0.5) for r in (0.5, 1, 2, 4)]
        ),
    },
}
