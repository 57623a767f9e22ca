"""Numbers of the errata; what is printed in a source is given."""

import math

import torch
from linear_icl import lsa, prompts, risk
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance

from tests.text.ties import given

PRINTED, SHOWN = given("as the source prints it"), given("the numbers of an example")
CONDITION = given("a condition")


def floor(d: int, N: int) -> float:
    """What no context cures, for Λ = I."""
    return float(risk.risk_curve(torch.eye(d, dtype=torch.float64), N).floor)


def printed(d: int) -> int:
    """The bound of erratum 3 times N², for Λ = I: trace d, condition number 1."""
    return (1 + 2 * d) * d + d**2


def asked(epsilon: float) -> float:
    """The training length of Corollary 4.3 as printed, for Λ = I, d = 4."""
    return math.sqrt((2 * (1 + 2 * 4) * 4 + 4**2) / epsilon)


def fails(epsilon: float) -> bool:
    """Whether the length of erratum 4 leaves more than ε, for d = 4."""
    return floor(4, math.ceil(asked(epsilon))) > epsilon


def losses() -> torch.Tensor:
    """Along the flow, from a start that is too large and one that is small."""
    problem = FixedCovariance(torch.diag(torch.tensor([2.0, 0.5]).double()), 8)
    times = torch.linspace(0, 4, 41).double()
    paths = [gradient_flow(problem, problem.start(size), times) for size in (0.05, 2.0)]
    return torch.stack([problem.loss(*one.states) for one in paths])


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
    "above the printed $14/N^2$": all(
        (floor(2, N) > printed(2) / N**2) == (N >= 23) for N in (1, 8, 20, 22, 23, 24, 99, 10**4)
    ),
    r"with a training length that grows as $\varepsilon$ falls": all(
        asked(small) > asked(large)
        and risk.context_lengths(torch.eye(4), small)[0]
        > risk.context_lengths(torch.eye(4), large)[0]
        for large, small in ((1.0, 0.1), (0.1, 0.09), (1e-3, 1e-4))
    ),
    "for non-increasing": bool(
        (losses().diff() <= 1e-12).all() and (losses()[:, 0] > losses()[:, -1]).all()
    ),
    "the least printed $N$ fails however long the context is": all(
        fails(epsilon) for epsilon in (1e-2, 5e-3, 1e-3, 1e-4)
    ),
}

SETTLED = {
    "as the source prints it": [
        "has at least $d+1$ negative eigenvalues",
        "The loss function is non-decreasing",
        "Block paper, below (A.3)",
    ],
    "a statement about the literature": ["No main theorem of the two papers falls."],
    "where the check stands": [
        "*Journal:* corrected. *Check:* below.",
        "however long the context is. *Check:* below.",
        r"$-\frac{432}{287}$. *Check:* below.",
        r"and $AB\ne BA$. *Check:* below.",
        "*Journal:* stands. *Check:* below.",
    ],
}
