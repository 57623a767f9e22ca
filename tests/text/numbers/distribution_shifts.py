"""Numbers of chapter 4."""

from fractions import Fraction

import torch
from linear_icl import labels, lsa, risk

from tests.text.ties import about, cell, given

LAMBDA, N = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64)), 8
HALF = Fraction(1, 2)
GAMMA = lsa.gamma(LAMBDA, N).diagonal()
W, V = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
PLAIN = labels.Noiseless(W).moments(LAMBDA)
SHORT = risk.prediction_risk(LAMBDA, N, 1, PLAIN)
LONG = risk.prediction_risk(LAMBDA, 80, 1, PLAIN)
GROWTH, FALL = LONG.variance / SHORT.variance, SHORT.bias / LONG.bias
SHARE = (2 + Fraction(5, 2)) / 8 / Fraction(41, 16), (HALF + Fraction(5, 2)) / 8 / Fraction(7, 8)
QUIET = risk.linear_risk(LAMBDA, range(1, 41), range(1, 41), noise_variance=0.1).argmin(0) + 1
QUADRATIC = labels.Quadratic(W, V, 0.4).moments(LAMBDA)

NUMBERS = {
    "Noise of variance $\\frac1{10}$ in the context": cell("noise_variance={}, query_cov"),
    "ridge is on 1000 contexts": cell("torch.randn({}, int(lengths[-1])"),
    "least squares and ridge on 4000 prompts": cell("labelled(model, M), {}).mean"),
    r"\Gamma=\operatorname{diag}(\frac{41}{16},\frac78)$, $t": tuple(GAMMA),
    r"$t=\frac52$ and": LAMBDA.trace(),
    r"and $p=\frac52$. Bias": W @ LAMBDA @ W,
    r"is $\frac9{41}$ and $\frac37$": SHARE,
    r"2\cdot\frac{81}{1681}+\frac12\cdot\frac9{49}=\frac{162}{1681}+\frac9{98}": SHORT.bias,
    r"$(9,\frac32)$": tuple(PLAIN[1].diagonal()),
    r"9\cdot2\cdot\frac{256}{1681}+\frac32\cdot\frac12\cdot\frac{64}{49}": SHORT.variance,
    r"\frac{4608}{1681}+\frac{48}{49}": SHORT.variance,
    r"0.188+\frac{3.72}M": (SHORT.bias, SHORT.variance),
    "at $M=20$ the two are nearly equal": about(SHORT.variance / SHORT.bias, within=0.05),
    r"here with $k=\frac25$": cell("labels.Quadratic(w, v, {})"),
    "the largest, $b=3$": QUADRATIC[2],
    "and $N=8$ the bias exceeds the variance from $M=20$ on": (
        given("the running example"),
        (SHORT.variance / SHORT.bias).ceil(),
    ),
    "why is the factor near a hundred, but less": about(GROWTH * FALL, within=0.15),
    "From $N=8$ to $80$ both": (given("the running example"), cell("for length in (8, {}):")),
    "so $V$ rises, by 1.84": GROWTH,
    "$B$ falls by 48 only": FALL.round(),
    "leave exactly a hundred": Fraction(80, 8) ** 2,
    "88 are left": (GROWTH * FALL).round(),
    r"for $\sigma^2=0.1$ it does so near $M=20$": (
        given("the least noise of the figure"),
        about(next(M for M, best in enumerate(QUIET, 1) if 1 < best < M), within=0.15),
    ),
    "a rotation of $\\Lambda$ by 90 degrees": given("a question: Λ with its axes exchanged"),
}
