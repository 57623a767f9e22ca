"""Numbers of the errata page."""

import math
from fractions import Fraction

import numpy as np

from tests.text.ties import given

RIGHT, PRINTED = 2 * (1 + 2) ** 2, (1 + 2 * 2) * 2 + 2**2  # of N², for Λ = I_2
CROSSING = next(N for N in range(1, 99) if RIGHT / (N + 3) ** 2 > PRINTED / N**2)
GOAL = Fraction(1, 100)
LEAST = math.ceil(math.sqrt((2 * (1 + 2 * 4) * 4 + 4**2) / GOAL))  # as printed, for Λ = I_4
A, B = np.array([[2.0, 1.0], [1.0, 2.0]]), np.diag([1.0, 2.0])
LOW, HIGH = np.linalg.eigvalsh((A @ B + B @ A) / 2)

NUMBERS = {
    "part is $18/(N+3)^2$, above the printed $14/N^2$ from $N=23$": (RIGHT, PRINTED, CROSSING),
    r"$\varepsilon\le\frac1{100}$ the least": GOAL if 4 * 5**2 / (LEAST + 5) ** 2 > GOAL else 0,
    r"give $-\frac{432}{287}$": 2 * (Fraction(16, 41) - Fraction(8, 7)),
    r"eigenvalues $3\pm\frac{\sqrt{13}}2>0$": ((LOW + HIGH) / 2, (HIGH - LOW) / 2),
    r"\|\Gamma\|_{op}\sqrt d<2$": given("as v1 prints it"),
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}=(1,2,3,4)^\top$": given("as slides A print it"),
    r"for $(1,3,2,4)^\top$": given("the columns of that matrix"),
    "Slides A (7) and B": given("the number of an equation"),
    "### 7. One third of the truth?": given("the number of an erratum, and a question"),
    "in the five texts": given("a count: the two papers, two sets of slides, the summary"),
    r"$B=\operatorname{diag}(1,2)$": given("an example"),
    r"{rank}(\Psi^{1/2}H^{1/2})\ge2$": given("the condition of the proof"),
    "### 3. The last bound": given("the number of an erratum"),
    "### 4. The training length": given("the number of an erratum"),
    "### 5. A definition that": given("the number of an erratum"),
    "### 6. A query orth": given("the number of an erratum"),
    "### 9. How many neg": given("the number of an erratum"),
    "### 10. The reduced": given("the number of an erratum"),
    "### 11. Which layer": given("the number of an erratum"),
    "### 19. Products of": given("the number of an erratum"),
}
