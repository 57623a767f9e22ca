"""Every check accepts what it should and says condition, value and fix for the rest."""

from typing import Any, cast

import numpy as np
import pytest
import torch
from linear_icl import _checks

from tests.unit.common import DOUBLE, eye, refuses, seeded

EYE = eye(2)
META = torch.zeros((), device="meta", dtype=torch.float32)


@pytest.mark.parametrize(
    "value", [[1, 2], (1.0, 2.0), np.array([1, 2]), np.array([1, 2], np.float32)]
)
def test_numbers_become_float64(value: Any) -> None:
    result = _checks.tensor("a", value)
    assert result.dtype == DOUBLE and result.tolist() == [1, 2]


def test_tensors_pass_as_the_same_object_and_arrays_are_copied() -> None:
    single = torch.ones(2, requires_grad=True)
    assert _checks.tensor("a", single) is single
    array = np.ones(2)
    _checks.tensor("a", array)[0] = 5
    assert array[0] == 1


def test_numbers_follow_like() -> None:
    result = _checks.tensor("a", [1, 2], like=("b", META))
    assert result.device.type == "meta" and result.dtype == torch.float32


test_not_numbers = refuses(
    (True, "a must be real numbers, got bool True; pass"),
    ([True], "must be real numbers, got list"),
    (1j, "must be real numbers, got complex 1j"),
    ("x", "must be real numbers, got str 'x'"),
    (None, "must be real numbers, got NoneType"),
    ([[1], [1, 2]], "rectangular array of numbers, got list .*torch.stack"),
    ([torch.ones(1, requires_grad=True)], "rectangular array of numbers.*torch.stack"),
    (torch.tensor([1]), r"float32 or float64 numbers, got a tensor of torch.int64; .*double"),
    (torch.tensor([1j]), "float32 or float64 numbers, got a tensor of torch.complex64"),
    (torch.ones(1, dtype=torch.float16), "got a tensor of torch.float16"),
    ([1, float("nan")], r"must be finite, got nan at index \(1,\); did a division"),
    (float("-inf"), r"must be finite, got -inf at index \(\)"),
    by=lambda value: _checks.tensor("a", value),
)


@pytest.mark.parametrize(
    ("own", "shape"),
    [
        ((), ()),
        ((3, 2), (3, "d")),
        ((2, 2), (..., 2, 2)),
        ((5, 4, 2, 2), (..., 2, 2)),
        ((4,), (...,)),
        ((0, 2, 2), ("K", "d", "d")),
    ],
)
def test_shapes_that_fit(own: Any, shape: Any) -> None:
    assert _checks.tensor("a", torch.zeros(own), shape=shape).shape == own


@pytest.mark.parametrize(
    ("own", "shape", "message"),
    [
        ((3, 2), ("d",), r"a must have shape \(d,\), got \(3, 2\); is an axis missing"),
        ((3,), (2,), r"shape \(2,\), got \(3,\)"),
        ((2,), (..., 2, 2), r"shape \(\.\.\., 2, 2\), got \(2,\)"),
        ((2, 3), (..., 2, 2), r"shape \(\.\.\., 2, 2\), got \(2, 3\); is an axis missing"),
        ((4,), (..., 3, "N+1"), r"shape \(\.\.\., 3, N\+1\), got \(4,\); is an axis missing"),
        ((2,), (2, 2), r"shape \(2, 2\), got \(2,\); for a diagonal .* write torch.diag\(values\)"),
        ((3,), (2, 2), r"shape \(2, 2\), got \(3,\); is an axis missing"),
        ((), ("d", "d"), r"shape \(d, d\), got \(\); for d = 1 write \[\[value\]\]"),
        ((), (1, 1), r"shape \(1, 1\), got \(\); for d = 1 write"),
        ((), (2, 2), r"shape \(2, 2\), got \(\); is an axis missing"),
        (
            (3, 2, 4),
            (..., "d", "d"),
            r"shape \(\.\.\., d, d\), got \(3, 2, 4\); is an axis missing",
        ),
    ],
)
def test_shapes_that_do_not_fit(own: Any, shape: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=message):
        _checks.tensor("a", torch.zeros(own), shape=shape)


def test_mixed_dtypes_and_devices() -> None:
    with pytest.raises(
        ValueError, match=r"^a and b must have one dtype, got torch.float32 and .*64; convert"
    ):
        _checks.tensor("a", torch.zeros(2), like=("b", EYE))
    with pytest.raises(ValueError, match=r"a and b must be on one device, got cpu and meta; move"):
        _checks.together(("a", EYE), ("b", EYE.to("meta")))
    _checks.together(("a", EYE), ("b", EYE), ("c", EYE))


def test_values_are_taken_on_trust_inside_transforms() -> None:

    def cubes(x: torch.Tensor) -> torch.Tensor:
        return _checks.tensor("x", x).pow(3).sum()

    assert torch.equal(
        torch.func.jacrev(torch.func.grad(cubes))(torch.ones(2, dtype=DOUBLE)), 6 * EYE
    )


test_not_a_covariance = refuses(
    ([[1, 2], [0, 1]], "must be symmetric positive definite, got entries .* 2; symmetrise"),
    ([[1, 2], [2, 1]], "definite, got smallest eigenvalue -1; did you pass a precision matr"),
    ([[1, 1], [1, 1]], "definite, got smallest eigenvalue .*; drop the directions"),
    ([[0, 0], [0, 0]], "definite, got smallest eigenvalue 0; drop the directions"),
    ([1, 2], r"must have shape \(\.\.\., d, d\), got \(2,\); .* write torch.diag\(values\)"),
    (3.0, r"must have shape \(\.\.\., d, d\), got \(\); for d = 1 write \[\[value\]\]"),
    ([[1, 2]], r"must have shape \(\.\.\., d, d\), got \(1, 2\); for a diagonal"),
    (np.zeros((0, 0)), r"must have shape \(\.\.\., d, d\), got \(0, 0\)"),
    ([EYE.tolist(), [[1, 0], [0, -3]]], "smallest eigenvalue -3"),
    ([[1, float("nan")], [0, 1]], "must be finite"),
    by=lambda value: _checks.covariance("covariance", value),
)


def test_covariance_up_to_rounding() -> None:
    """Q diag(λ) Qᵀ is symmetric up to rounding only, and condition 1e12 is still definite."""
    Q = torch.linalg.qr(torch.randn(20, 20, dtype=DOUBLE, generator=_seed()))[0]
    Lambda = Q @ torch.diag(torch.logspace(-12, 0, 20, dtype=DOUBLE)) @ Q.mT
    assert _checks.covariance("covariance", Lambda) is Lambda
    with pytest.raises(ValueError, match=r"symmetrise"):
        _checks.covariance("covariance", Lambda + 1e-9 * torch.ones_like(Lambda).triu(1))


def test_semidefinite_allows_zero_only() -> None:
    assert _checks.covariance("Psi", [[1, 0], [0, 0]], semidefinite=True)[0, 0] == 1
    assert not _checks.covariance("Psi", [[0]], semidefinite=True).any()
    with pytest.raises(ValueError, match=r"positive semidefinite, got smallest eigenvalue -0.1"):
        _checks.covariance("Psi", [[1, 0], [0, -0.1]], semidefinite=True)


@pytest.mark.parametrize("value", [0, -1, True, 3.0, "3", None, np.float64(2)])
def test_not_a_length(value: Any) -> None:
    with pytest.raises(ValueError, match=r"length must be an integer >= 1, got .*; write"):
        _checks.length("length", value)


def test_lengths() -> None:
    assert _checks.length("length", np.int64(3)) == 3 and type(_checks.length("N", 1)) is int


def test_signs() -> None:
    assert _checks.positive("sigma", 0.5) == 0.5 and _checks.nonnegative("noise", 0) == 0
    for value in (0, [1, -2]):
        with pytest.raises(ValueError, match=r"sigma must be > 0, got .*; check its sign"):
            _checks.positive("sigma", value)
    with pytest.raises(ValueError, match=r"noise must be >= 0, got -2; check"):
        _checks.nonnegative("noise", [1, -2])


def test_devices() -> None:
    assert _checks.device("meta").type == "meta"
    for value in ("gpu", "cuda:99", None):
        with pytest.raises(ValueError, match=r"one that exists here, got .*; there is cpu"):
            _checks.device(value)


def test_generators() -> None:
    cpu, generator = torch.device("cpu"), _seed()
    assert _checks.generator("generator", generator, cpu) is generator
    assert _checks.generator("generator", None, cpu) is None
    wrong: list[Any] = [True, 3.0, -1, "0", 2**63]
    for value in wrong:
        with pytest.raises(ValueError, match=r"or an integer >= 0 as its seed, got .*; write e.g."):
            _checks.generator("generator", value, cpu)
    with pytest.raises(ValueError, match=r"device of the samples, got cpu for cuda:0; write"):
        _checks.generator("generator", generator, torch.device("cuda:0"))


def test_an_integer_seeds_a_fresh_generator_at_each_call() -> None:
    cpu = torch.device("cpu")
    for value in (0, np.int64(0)):
        drawn = torch.rand(3, generator=_checks.generator("generator", value, cpu))
        assert torch.equal(drawn, torch.rand(3, generator=_seed()))
        assert torch.equal(drawn, torch.rand(3, generator=_checks.seeded("generator", value, cpu)))
    assert _checks.generator("generator", 0, torch.device("meta")) is None
    with pytest.raises(ValueError, match=r"must be a torch.Generator, got None; write e.g. gen"):
        _checks.seeded("generator", cast(Any, None))


def test_choices() -> None:
    table = {"linear": 1, "log": 2}
    assert _checks.choice("scale", "log", table) == 2
    for value in ("Log", ["log"]):
        with pytest.raises(ValueError, match=r"scale must be one of linear, log, got .*spelling"):
            _checks.choice("scale", value, table)


def _seed() -> torch.Generator:
    return seeded()
