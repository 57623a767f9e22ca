"""Numbers of the errata; what is printed in a source is given."""

import math

import torch
from linear_icl import lsa, prompts, risk

from tests.text.ties import given

PRINTED, SHOWN = given("as the source prints it"), given("the numbers of an example")
CONDITION = given("a condition")


def floor(d: int, N: int) -> float:
    """What no context cures, for Λ = I."""
    return float(risk.risk_curve(torch.eye(d, dtype=torch.float64), N).floor)


def printed(d: int) -> int:
    """The bound of erratum 3 times N², for Λ = I: trace d, condition number 1."""
    return (1 + 2 * d) * d + d**2


def fails(epsilon: float) -> bool:
    """Whether the length of erratum 4 leaves more than ε, for d = 4."""
    N = math.ceil(math.sqrt((2 * (1 + 2 * 4) * 4 + 4**2) / epsilon))
    return floor(4, N) > epsilon


def orthogonal() -> float:
    """Λ = diag(2, ½), one point (1, 1), w = (1, 1), the query (1, -1)."""
    layer = lsa.LinearSelfAttention(*lsa.limit_weights([[2.0, 0.0], [0.0, 0.5]], 8))
    prompt = [[[1.0, 1.0]]], [[2.0]], [[1.0, -1.0]], [0.0]
    return layer.predict(prompts.Prompts(*(torch.tensor(one).double() for one in prompt))).item()


A, B = (
    torch.tensor([[2.0, 1.0], [1.0, 2.0]]).double(),
    torch.diag(torch.tensor([1.0, 2.0])).double(),
)
LOW, HIGH = torch.linalg.eigvalsh((A @ B + B @ A) / 2)
COLUMNS = tuple(int(entry) for entry in torch.tensor([[1, 2], [3, 4]]).mT.flatten())

NUMBERS = {
    "in the five texts that we checked": given("a count: the rows of the table"),
    "the part is $18/(N+3)^2$": floor(2, 40) * 43**2,
    "the printed $14/N^2$": printed(2),
    "from $N=23$ on": next(N for N in range(1, 99) if floor(2, N) > printed(2) / N**2),
    r"\varepsilon\le\frac1{100}$ the least": given("where it was tried, as below"),
    r"give $-\frac{432}{287}$": orthogonal(),
    "One third of the truth?": given("a question"),
    "Slides A (7)": given("the number of an equation"),
    r"B=\operatorname{diag}(1,2)$": SHOWN,
    r"eigenvalues $3\pm\frac{\sqrt{13}}2>0": ((LOW + HIGH) / 2, (HIGH - LOW) / 2),
    r"$\sigma^2\|\Gamma\|_{op}\sqrt d<2$": PRINTED,
    r"(\Psi^{1/2}H^{1/2})\ge2$": CONDITION,
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}=(1,2,3,4)^\top": PRINTED,
    r"for $(1,3,2,4)^\top$": COLUMNS[1:],
}
CLAIMS = {
    "the least printed $N$ fails however long the context is": all(
        fails(epsilon) for epsilon in (1e-2, 5e-3, 1e-3, 1e-4)
    ),
}
