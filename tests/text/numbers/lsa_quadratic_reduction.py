"""Numbers of chapter 2."""

import torch

from tests.text.ties import given

MATRIX = torch.tensor([[1, 2], [3, 4]])

NUMBERS = {
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}": given("the numbers of an example"),
    "=(1,3,2,4)^\\top$. With rows": tuple(int(entry) for entry in MATRIX.mT.flatten()[1:]),
    "With rows, $(1,2,3,4)^\\top$": tuple(int(entry) for entry in MATRIX.flatten()[1:]),
}
