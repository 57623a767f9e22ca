"""FlowLab: release the weights in their landscape and watch where they go."""

import torch
from linear_icl import flow
from linear_icl.landscape import FixedCovariance
from torch import Tensor

from .explorable import Explorable, digits
from .states import Number, Numbers, Whole

COVARIANCES = {1: [[1.0]], 2: [[2.0, 0.0], [0.0, 0.5]]}
#: The latest time that is drawn. From u = -U the exact flow ends in the saddle; rounding, which
#: grows like e^t for d = 1, leaves it some time after these.
LAST = {1: 30.0, 2: 60.0}


class FlowLab(Explorable):
    """The gradient flow of (U, u) on the slice without mixing blocks, in three views with one time.

    ``d`` = 1: Λ = 1; ``d`` = 2: Λ = diag(2, ½), U of norm one times a fixed tilted matrix at first.
    The flow begins at ``start``, the size of U with its sign and u, or with both ``sigma`` (the u₀
    of the book) where there is none. ``t`` is the time of the playhead, -1 for the end.
    """

    kind = "flow_lab"
    pictured = (
        "A trajectory in the landscape of the weights, from near the saddle into the valley; "
        "its loss against time with a plateau; and the product uU in a frame as large as Γ⁻¹."
    )
    d = Whole(1, 1, 2, "dimension")
    N = Whole(2, 1, 128, "length in training")
    sigma = Number(0.01, 1e-6, 1, "size of the start, U and u")
    start = Numbers([], -2.4, 2.4, "the start, U and u, or none", lengths=[0, 2])
    t = Number(-1.0, -1, 200, "time of the playhead, -1 for the end")

    def landscape(self) -> FixedCovariance:
        return FixedCovariance(COVARIANCES[self.d], self.N)

    def begin(self) -> tuple[Tensor, Tensor]:
        """The start (U, u) of the flow, for `flow.gradient_flow`."""
        size, u = torch.tensor(self.start or [self.sigma, self.sigma], dtype=torch.float64)
        if self.d == 1:
            return size.reshape(1, 1), u
        axis = torch.tensor([-35.0, 55.0], dtype=torch.float64).deg2rad()
        Q = torch.stack([axis.cos(), axis.sin()])
        square = Q @ torch.diag(torch.tensor([1.0, 0.15], dtype=torch.float64)) @ Q.mT
        return size * square / torch.linalg.matrix_norm(square), u

    def loss(self) -> float:
        """The loss at the playhead, with the constant of silence."""
        case, (U, u) = self.landscape(), self.begin()
        time = self.t if self.t >= 0 else LAST[self.d]
        return float(flow.gradient_flow(case, (U, u), [time]).loss[0] + case.constant)

    def told(self) -> str:
        case, (U, u) = self.landscape(), self.begin()
        size = float(U) if self.d == 1 else float(torch.linalg.matrix_norm(U))
        at = f"at time {digits(self.t)}" if self.t >= 0 else "in the end"
        return (
            f"d = {self.d}, length in training {self.N}, released at U {digits(size)}, "
            f"u {digits(float(u))}. Loss of silence {digits(float(case.constant))}, "
            f"{at} {digits(self.loss())}, at best {digits(float(case.minimum + case.constant))}."
        )
