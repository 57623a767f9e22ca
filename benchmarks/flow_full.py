"""Flows of all parameters, and of the book's own problem, against SciPy at equal achieved error.

CPU seconds on one thread; ours and one of SciPy's run in turn, medians.  The problems:

full    FullParameters: Λ with a geometric spectrum from 1 to 1/10, N = 40; U and u from half the
        bound on σ with the Θ of :mod:`benchmarks.flow`, u_12 and u_21 normal of norm about 0.1 σ:
        all (d+1)² unknowns that reach the prediction move.  From t = 0 to the t at which the gap
        is 1e-3 of the minimum, at rtol 1e-6; 882 unknowns at d = 20.
d = 2   FixedCovariance(diag(2, ½), N = 8), σ = 0.01, at 200 even times up to gap 1e-8, rtol 1e-9.

The error is the largest entry of the difference from SciPy's LSODA at rtol 1e-11 (full) or Radau
at rtol 1e-13 (d = 2), over the largest entry, at the end (full) or at all times (d = 2).  From a
ladder of tolerances each SciPy solver is shown at the first that is as exact as ours, or at the
last; `atol` is rtol/10 (full) and 1e-4 rtol (d = 2) of the largest entry at the start.  SciPy calls
the same gradient (full) or the equations in NumPy (d = 2).  A flow of rtol 1e-11 at d = 20 takes
SciPy minutes.

    python -m benchmarks.flow_full        d = 2, d = 20 and d = 50
    python -m benchmarks.flow_full 2      one of them
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from scipy.integrate import solve_ivp

from benchmarks._clock import clock, duel, one_thread
from benchmarks.flow import setting

Rates = Callable[[float, np.ndarray], np.ndarray]


def row(name: str, rtol: float, error: float, seconds: float, ratio: float) -> None:
    print(f"{name:28}{rtol:8.0e}{error:10.1e}{seconds:12.5f}{ratio:9.1f}", flush=True)


class Contest:
    """Ours against SciPy's methods on y' = rates(t, y) from y_0, read at times."""

    def __init__(
        self, rates: Rates, start: np.ndarray, times: np.ndarray, atol: float, repeats: int
    ) -> None:
        self.rates, self.start, self.times = rates, start, times
        self.atol, self.repeats = atol * np.abs(start).max(), repeats

    def scipy(self, method: str, rtol: float) -> np.ndarray:
        found = solve_ivp(
            self.rates,
            (0, self.times[-1]),
            self.start,
            method,
            t_eval=self.times,
            rtol=rtol,
            atol=self.atol * rtol,
        )
        return np.asarray(found.y)

    def run(
        self, work: Callable[[], Any], ours: np.ndarray, rtol: float, exact: str, finest: float
    ) -> None:
        """`work` is what leads to `ours`."""
        reference = self.scipy(exact, finest)

        def error(y: np.ndarray) -> float:
            return float(np.abs(y - reference).max() / np.abs(reference).max())

        own = error(ours)
        for method in ("LSODA", "DOP853"):
            for some in 10.0 ** np.arange(np.log10(rtol), np.log10(finest) - 0.5, -1):
                found = error(self.scipy(method, some))
                if found <= own:
                    break
            mine, other = duel(work, partial(self.scipy, method, some), self.repeats)
            row("gradient_flow", rtol, own, mine, 1.0)
            row(f"SciPy {method}", some, found, other, other / mine)


def small() -> None:
    landscape = FixedCovariance([[2.0, 0.0], [0.0, 0.5]], 8)
    start = landscape.start(0.01)
    end = float(gradient_flow(landscape, start, until_gap=1e-8).times[-1])
    times = torch.linspace(0, end, 200, dtype=torch.float64)
    print(f"\nd = 2 at 200 times up to t = {end:.4g}")
    _, q, p = (part.numpy() for part in landscape.spectral())
    pull = np.diag(p)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        U, u = y[:4].reshape(2, 2), y[4]
        by_U = (u * pull - u * u * q * U).ravel()
        return np.append(by_U, p @ U.diagonal() - u * np.vdot(q * U, U))

    y = np.append(start[0].numpy().ravel(), float(start[1]))
    work = partial(gradient_flow, landscape, start, times)
    U, u = work().states
    ours = np.concatenate([U.reshape(200, 4).numpy().T, u.numpy()[None]])
    Contest(rates, y, times.numpy(), 1e-4, 60).run(work, ours, 1e-9, "Radau", 1e-13)


def weights(d: int) -> tuple[FullParameters, tuple[torch.Tensor, torch.Tensor]]:
    """The problem `full` of the first paragraph."""
    fixed, Theta = setting(d, 10.0)
    sigma = fixed.sigma_max(Theta) / 2
    U, u = fixed.start(sigma, Theta)
    W_KQ, W_PV = torch.zeros(2, d + 1, d + 1, dtype=torch.float64)
    W_KQ[:d, :d], W_PV[d, d] = U, u
    own = torch.Generator().manual_seed(1)
    sides = torch.randn(2, d, dtype=torch.float64, generator=own) * 0.1 * sigma / d**0.5
    W_KQ[d, :d], W_PV[d, :d] = sides
    return FullParameters(fixed.covariance, fixed.length), (W_KQ, W_PV)


def full(d: int, *, against_scipy: bool) -> None:
    landscape, start = weights(d)
    goal = 1e-3 * float(landscape.minimum)
    print(f"\nFullParameters, d = {d}, {2 * (d + 1) ** 2} unknowns")
    work = partial(gradient_flow, landscape, start, until_gap=goal, rtol=1e-6)
    seconds, flow = clock(work)
    end = float(flow.times[-1])
    print(f"to gap {goal:.3g} at t = {end:.5g} in {seconds:.2f} s, {len(flow)} times", flush=True)
    if not against_scipy:
        return

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        W = torch.from_numpy(y).view(2, d + 1, d + 1)
        return -np.concatenate([part.numpy().ravel() for part in landscape.gradient(*W)])

    y, ours = (
        np.concatenate([part.numpy().ravel() for part in state])
        for state in (start, flow.state(-1))
    )
    contest = Contest(rates, y, np.array([end]), 0.1, 1)
    contest.run(work, ours[:, None], 1e-6, "LSODA", 1e-11)


if __name__ == "__main__":
    one_thread()
    asked = sys.argv[1:] or ["2", "20", "50"]
    if "2" in asked:
        small()
    if "20" in asked:
        full(20, against_scipy=True)
    if "50" in asked:
        full(50, against_scipy=False)
