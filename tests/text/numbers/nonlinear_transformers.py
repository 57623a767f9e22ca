"""Numbers of chapter 8."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

from linear_icl.nonlinear import flatness, recorded
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.shifts import SHIFTS
from linear_icl_book.claims import MILD, orderings
from linear_icl_book.live import Ask

from tests.text.ties import about, cell, given, printed

THEIRS, TIME, WORD = given("as the papers have it"), given("a reading time"), given("a word")
MEAN_3, MEAN_10 = given("the entries of β*"), given("the entries of β*, theirs")
SCALES, PARTS = given("the scales at test"), given("the parts of the proposition")

RECIPE, SEEN, QUESTION = RECIPES["fixed"], RECIPES["d1-fixed"], Ask().query
D, N = RECIPE.tasks.dim, RECIPE.tasks.length
R = {path.stem: recorded.read(path) for path in recorded.RECORDS.glob("*.json")}
JUDGED = orderings(recorded.RECORDS)

# One step on Exp(1): moments 1, 2, 6.
STEP, PLAIN = Fraction(N, 3 * N + D + 5), Fraction(N, N + D + 1)
SPREAD = (1 + Fraction(2, N)) * 6 + Fraction(D - 1, N) * 2


def one_step(alpha: Fraction, c: int) -> Fraction:
    return D * (alpha**2 * c**6 * SPREAD - 2 * alpha * c**4 * 2 + c**2)


def asked(**state: Any) -> dict[str, Any]:
    """What is answered in the figure where prompts are dragged."""
    return Ask(**state).answers()


def exponent(family: str, low: int, high: int) -> float:
    """Of the mean risk over the seeds, between these scales of the points."""
    at = [R[family]["query"][f"random_{c**2}"]["estimators"]["transformer"] for c in (low, high)]
    return math.log(at[1]["mean"] / at[0]["mean"]) / math.log(high / low)


def risk(family: str, c: int) -> float:
    return float(R[family]["query"][f"random_{c**2}"]["estimators"]["transformer"]["mean"])


def seeds(record: str, test: str) -> list[float]:
    return [one["mean"] for one in R[record]["query"][test]["seeds"]]


def beyond(record: str, law: str, M: int) -> float:
    """The mean risk over the seeds at a length."""
    own = R[record]["curves"][law]
    k = own["lengths"].index(M)
    return sum(float(one["mean"][k]) for one in own["seeds"]) / len(own["seeds"])


def doubled(family: str) -> list[float]:
    """The risk with doubled labels over that without a shift, for each seed."""
    own = R[family]["shifts"]
    pairs = zip(own["scaled_y"]["seeds"], own["standard"]["seeds"], strict=True)
    return [a["mean"] / b["mean"] for a, b in pairs]


def after_the_jump(family: str, law: str) -> list[float]:
    """What is left at 2N of the jump behind N, for each seed."""
    own = R[family]["curves"][law]
    N_, next_, twice = (own["lengths"].index(M) for M in (N, N + 1, 2 * N))
    rows = [one["mean"] for one in own["seeds"]]
    return [(row[twice] - row[N_]) / (row[next_] - row[N_]) for row in rows]


def left(record: str) -> list[float]:
    """What is left at the end of training, in per cent of d."""
    T = R[record]["training"]
    return [100 * (risks[-1] - T["bayes"]) / D for risks in T["risk"]]


def shifted(name: str) -> float:
    """The mean risk of both families on a shift."""
    found = [R[family]["shifts"][name]["seeds"] for family in ("fixed", "random")]
    return float(sum(one["mean"] for each in found for one in each)) / 6


SHIFTS_LEFT = {
    name: shifted(name) / R["fixed"]["shifts"][name]["estimators"]["zero"]["mean"] for name in MILD
}


# Of two to five plain steps, by the page's sampler with four other seeds and their mean.
LADDER = [1.6670, 1.2929, 1.0699, 0.9218]
SLOPES = [
    math.log(one_step(a, h) / one_step(a, low)) / math.log(h / low)
    for a in (STEP, PLAIN)
    for low, h in ((1, 2), (2, 3))
]
NEAREST = JUDGED["beats_layer"]
TIMES = min(one.mean for one in NEAREST.larger) / max(one.mean for one in NEAREST.smaller)
BLOCK, LAYER = Fraction(30, 17), Fraction(30, 17) + Fraction(9 * D, N + 1)
INTERLEAVED = seeds("random-interleaved", "random_1")
ENDLESS = Fraction(2 * D, 9 * 10)

# At d = 20.
WIDE = {family: R[f"d20-{family}"] for family in ("fixed", "random")}
LONG = WIDE["fixed"]["recipe"]
APART = {
    family: json.loads((recorded.RECORDS / f"compared/d20-{family}.json").read_text("utf-8"))
    for family in WIDE
}


def ends(family: str) -> list[float]:
    """Per cent of silence's risk that is left at the end of training, by seed."""
    T = WIDE[family]["training"]
    return [5 * (one[-1] - T["bayes"]) for one in T["risk"]]


def at_length(family: str, M: int) -> float:
    """The mean over the seeds on the law of training."""
    own = WIDE[family]["curves"]["fixed" if family == "fixed" else "random_1"]
    k = own["lengths"].index(M)
    return float(sum(one["mean"][k] for one in own["seeds"])) / len(own["seeds"])


def wide(family: str, c: int) -> float:
    """Of silence's risk at M = N, in per cent."""
    own = WIDE[family]["query"][f"random_{c**2}"]["seeds"]
    return 100 * float(sum(one["mean"] for one in own)) / len(own) / (20 * c**2)


def skewed(family: str) -> float:
    own = WIDE[family]["shifts"]["skewed"]["seeds"]
    return float(sum(one["mean"] for one in own)) / len(own)


def farthest(family: str, name: str) -> float:
    """From this algorithm, of all seeds and lengths up to N, in per cent of silence's risk."""
    rows = APART[family]["distances"][name]
    return float(max(5 * value for row in rows for value in row[:-1]))


def missed(family: str, name: str, M: int) -> float:
    """From this algorithm at one length, the mean of the seeds, in per cent of silence's risk."""
    rows, k = APART[family]["distances"][name], APART[family]["lengths"].index(M)
    return float(5 * sum(row[k] for row in rows) / len(rows))


def nearest(family: str, k: int) -> str:
    """The algorithm of those drawn that is nearest at the k-th length, by the seeds' mean."""
    found = APART[family]["distances"]
    return min(DRAWN, key=lambda name: float(sum(row[k] for row in found[name])))


def against_newton(family: str) -> float:
    """The distance from four plain steps over that from ten of Newton, at N."""
    found = APART[family]["distances"]
    four, ten = (sum(row[-2] for row in found[name]) for name in ("4 plain", "10 Newton"))
    return float(four / ten)


DRAWN = ("1 plain", "4 plain", "10 Newton", "ridge 1", "least squares")
CLOSE = math.ceil(max(farthest(f, name) for f in WIDE for name in ("10 Newton", "ridge 1")))
CPU = max(max(one["provenance"]["cpu_seconds"]) for one in WIDE.values())


NUMBERS = {
    "**Ideas**: 30 minutes. **Every proof**: 45 minutes": (TIME, TIME),
    # The opening.
    "Seven chapters of formulas": given("the chapters before this one"),
    "five dimensions, eleven examples and a query, no noise": (D, N),
    "Silence has the risk $5$": D,
    "step has the size $\\frac{11}{43}$": STEP,
    "5\\bigl(1-2\\cdot\\tfrac{11}{43}\\bigr)=\\tfrac{105}{43}=2.44": (
        one_step(STEP, 1),
        one_step(STEP, 1),
        float(one_step(STEP, 1)),
    ),
    "leave $1.67$; three $1.29$, four $1.07$, five $0.92$. Least": (
        LADDER[0],
        LADDER[1],
        WORD,
        LADDER[2],
        WORD,
        LADDER[3],
    ),
    "Near $0.1$, less than a twentieth of what": sum(seeds("random", "random_1")) / 3,
    "Eight plain steps, the same for all covariances, leave more even in endless contexts, "
    "$5\\cdot\\frac2{90}=0.111$": (8, ENDLESS, float(ENDLESS)),
    "Silence at 5, one to five steps between 2.4 and 0.9, the three seeds of the transformer near "
    "0.1": (
        D,
        given("the rungs of the ladder"),
        float(one_step(STEP, 1)),
        LADDER[-1],
        sum(seeds("random", "random_1")) / 3,
    ),
    "leaves five plain steps far behind": given("the rungs of the ladder"),
    "not reach least squares.** Risk with eleven examples": N,
    # The models.
    "a mask of six rows and six columns": given("three examples and three questions"),
    "vectors of width 64, and": RECIPE.architecture.width,
    "| 12 and 8 | 6 and 4 | 3 and 2 |": (*4 * (THEIRS,), printed("{} blocks, {} heads")),
    "| 256 | | 64 |": (THEIRS, printed("heads, width {}, ")),
    "| 20; 40, 70 or 100 | | 5; 11 |": (*4 * (THEIRS,), printed("; d = {}, N = {}")),
    "| 500 000 steps of Adam": THEIRS,
    "| 1500 steps of 64 prompts (4000 for": (
        printed("{} steps of {} prompts, "),
        printed("prompts, {} around a mean"),
    ),
    "| test | 64 covariances, 64 prompts each": THEIRS,
    "| 512 covariances, 4 prompts each |": printed("tests: {} covariances with {} prompts each"),
    "curves with 90 % bands | four numbers | three seeds with 90 % bands": (
        THEIRS,
        THEIRS,
        given("evaluate.LEVEL"),
    ),
    # Louder prompts.
    "their $1$, $4$ and $9$ are our $c=1,2,3$": SCALES,
    "random covariances with $c=2$: one step has the risk $860$, and silence $20$": (
        SCALES,
        round(float(one_step(PLAIN, 2))),
        4 * D,
    ),
    "zero from $M=5$ on": D,
    "it has a tenth of the risk of silence": about(risk("fixed", 2) / (4 * D), 0.1),
    "many covariances has half of that": about(risk("random", 2) / risk("fixed", 2), 0.05),
    "Dotted: the slopes two and six": given("twice the degrees one and three"),
    "From $c=1$ to $2$ the risk of the fixed family grows from $0.107$ to $1.95$, eighteenfold": (
        SCALES,
        risk("fixed", 1),
        risk("fixed", 2),
    ),
    "its exponent is $4.2$, that of the random family $3.4$": (
        exponent("fixed", 1, 2),
        exponent("random", 1, 2),
    ),
    "From $2$ to $3$ both have $4.5$. One step has $5.4$ or more, least squares $2$": (
        SCALES,
        SCALES,
        (exponent("fixed", 2, 3)),
        min(SLOPES),
        2,
    ),
    "with its 90 % interval over": given("evaluate.LEVEL"),
    "in one case of twenty, and three against an exact number in one of eight": (
        math.comb(6, 3),
        2**3,
    ),
    "corrected for the 24 claims": len(JUDGED),
    "holds at $c=1$ and fails at $2$ and $3$. Ours": THEIRS,
    # Longer ones.
    "The table of positions has 48 rows. Trained on eleven": (printed("{} positions; d"), N),
    "A prompt of eleven examples and a query uses the first twelve positions": (N, N + 1),
    "A prompt of twelve examples puts": N + 1,
    "moves nothing: 2. (Weight decay would shrink these rows; 1 and 3 stay.)": PARTS,
    "$M+1>N+1$ itself: 3.": PARTS,
    "most of it is gone. At $c=2$ and $3$ the jump": SCALES,
    "two of three seeds have more than twice the risk": given("see CLAIMS"),
    # Without the MLP.
    "Let $D\\ge3$. For every": given("the width, checked by the proof"),
    "mean zero; as $D\\ge3$ there": given("the width, checked by the proof"),
    "Take $\\beta^\\ast=(3,\\dots,3)$ and eleven": (MEAN_3, MEAN_3, N),
    "below $\\frac{30}{17}+\\frac{45}{12}=\\frac{375}{68}$. The start alone has the risk $5$, and "
    "the best block $\\frac{30}{17}$": (LAYER, LAYER, D, BLOCK),
    "found all the same.** Risk with eleven examples": N,
    "had 1500 steps of training, those around a mean 4000:": (
        printed("{} steps of 64 prompts, "),
        printed("prompts, {} around a mean"),
    ),
    "`zhang2024ltb` take $\\beta^\\ast=(10,\\dots,10)$, and": MEAN_10,
    "report the loss $8.871$ without MLPs and $0.013$ with them, a factor of several hundred": (
        THEIRS,
        THEIRS,
        given("8.871/0.013 is 682"),
    ),
    "from $6$ to $62$ per cent": (
        round(min(left("mean-10"))),
        round(max(left("mean-10"))),
    ),
    # Shifts.
    "## Nine shifts": len(SHIFTS),
    "All have eleven examples, the orthogonal query four": (N, D - 1),
    "**Seven kinds they survive": len(MILD),
    "Risk on the nine kinds": len(SHIFTS),
    "In seven of the nine rows each transformer has less than a third": (
        len(MILD),
        len(SHIFTS),
        Fraction(1, 3),
    ),
    "linear in the labels has exactly four times": 2**2,
    "These have eleven to fourteen times": (
        round(min(*doubled("fixed"), *doubled("random"))),
        round(max(*doubled("fixed"), *doubled("random"))),
    ),
    "the same nine risks": len(SHIFTS),
    # At d = 20.
    "Five dimensions and a minute": D,
    "papers, which have $d=20$. We": THEIRS,
    "blocks at $d=20$ and $N=40$ for 10 000 steps": (
        LONG["tasks"]["dim"],
        LONG["tasks"]["length"],
        LONG["training"]["steps"],
    ),
    "half an hour of one core": about(Fraction(1, 2) * Fraction(CPU) / 1800, 0.1),
    "**At $d=20$ the curves": LONG["tasks"]["dim"],
    "at $M=N=40$, in": LONG["tasks"]["length"],
    "$1.4$ per cent of the risk of silence are left at $M=N$, where one step leaves $34$": (
        max(ends("fixed")),
        round(100 * (1 - Fraction(40, 61))),
    ),
    "if it falls by less than ten per cent in the last tenth": 100 * flatness.FALL,
    "That of the fixed family fell by $19$": round(100 * WIDE["fixed"]["training"]["fall"][0]),
    "in the random one $2.2$, where it leaves $45$": (
        max(ends("random")),
        round(100 * (1 - Fraction(2 * 40, 3 * 40 + 25))),
    ),
    "**In twenty dimensions": LONG["tasks"]["dim"],
    "### Twenty dimensions": LONG["tasks"]["dim"],
    "at $d=20$ and $N=40$, one seed": (LONG["tasks"]["dim"], LONG["tasks"]["length"]),
    "that of five dimensions": D,
    "fivefold, from $0.28$ to $1.44$": (at_length("fixed", 40), at_length("fixed", 41)),
    "At $c=2$ the fixed family has $30$ per cent of the risk of silence, where it was $10$ in five "
    "dimensions; the random family has $5$": (
        SCALES,
        round(wide("fixed", 2)),
        round(100 * risk("fixed", 2) / (4 * D)),
        D,
        round(wide("random", 2)),
    ),
    "is worse than silence, $32$ against $20$; that of the random family has $3.5$": (
        round(skewed("fixed")),
        LONG["tasks"]["dim"],
        skewed("random"),
    ),
    "as a share of the risk of silence, at $d=20$; one": LONG["tasks"]["dim"],
    "the truth from $20$ examples on. With exactly $20$": (
        LONG["tasks"]["dim"],
        LONG["tasks"]["dim"],
    ),
    "misses it, by $16$ per cent of the risk of silence in the fixed family and by $10$ in": (
        round(missed("fixed", "least squares", 20)),
        round(missed("random", "least squares", 20)),
    ),
    "The candidates are one and four plain steps": given("those drawn"),
    "as Newton in the fixed family, and eight times in": round(against_newton("random")),
    "It is not four plain steps": given("those drawn"),
    "least squares is next near the vertical line, four plain steps": given("those drawn"),
    "at least half of the jump": given("a bound, see CLAIMS"),
    "both stay within four per cent": CLOSE,
    "falling, up to twice that length": given("a length, see CLAIMS"),
    # Ask it yourself.
    "For $d=1$ and $N=8$ a transformer of two blocks": SEEN.tasks.length,
    "their risk is below $0.0002$, that of the best step $\\frac15$": (
        given("a bound, see CLAIMS"),
        1 - Fraction(SEEN.tasks.length, SEEN.tasks.length + 2),
    ),
    "The bracket holds $19$ of $20$": (
        about(20 * math.erf(1.96 / 2**0.5), within=0.01),
        given("of so many"),
    ),
    "the rule says $2$ at $x=2$, and they answer $-1.23$, $1.21$ and $-0.33$": (
        asked(bend=1.0)["rule"],
        QUESTION,
        *(round(one, 2) for one in asked(bend=1.0)["transformers"]),
    ),
    "the question at $x=2$ look": QUESTION,
    "says four times as much at $x=2$": (asked(scale=2.0)["step"] / asked()["step"], QUESTION),
    "by more than $0.02$": given("a bound, see CLAIMS"),
    "raises all three answers at $x=2$": QUESTION,
    # Train one yourself.
    "The recorded models took 1500 steps each": printed("{} steps of 64 prompts, "),
    "random family for 450 steps": cell('RECIPES["random"], steps={}, every'),
    "**After 450 steps it": cell('RECIPES["random"], steps={}, every'),
    "ones after 1500 steps (thin)": printed("{} steps of 64 prompts, "),
    "at $d=5$, three seeds |": D,
    "by a factor of at least 23 |": math.floor(TIMES),
    "| at $c=2$ worse": SCALES,
    "positions reads eleven examples": N,
    # Exercises.
    "\\alpha s\\bigl(6+\\frac{20}M\\bigr)=4$, so $s=\\frac{34}{43}$ for $M=11$ and "
    "$s=\\frac{34}{33}$": (
        given("the coefficient of 1/M"),
        given("2 m₂/m₁"),
        4 / (PLAIN * (6 + Fraction(20, N))),
        N,
        4 / (PLAIN * 6),
    ),
    "Attention has four matrices": given("a count of matrices"),
    "two of $4D^2$: two thirds. So": Fraction(1, 3),
    "has a third of the weights": Fraction(1, 3),
    "removes half of the risk": Fraction(1, 2),
    "is the half-width of one seed's band larger": given("a word"),
    "standard deviation of the three means over half-width": given("a word"),
    "**All claims about five dimensions": D,
    "about a mean of ten in every": MEAN_10,
}

CLAIMS = {
    "their risk is below $0.0002$": max(seeds("d1-fixed", "fixed")) < 0.0002,
    "Do the three still agree?": max(asked()["transformers"]) - min(asked()["transformers"]) < 0.02,
    "look almost only at the examples on the left": (
        float(Ask(bend=1.0, look=2).attention()[1, [1, 3, 5, 7]].sum()) > 0.99
        and Ask().look == Ask().start == 0
    ),
    "no transformer moves by more than $0.02$": all(
        abs(wide - one) < 0.02
        for wide, one in zip(asked(scale=2.0)["transformers"], asked()["transformers"], strict=True)
    ),
    "raises all three answers": all(
        more > one + 0.05
        for more, one in zip(asked(M=9)["transformers"], asked()["transformers"], strict=True)
    ),
    "less than a twentieth of what one step leaves": (
        20 * max(seeds("random", "random_1")) < one_step(STEP, 1)
    ),
    "It is not least squares": all(
        farthest(f, "least squares") > 2 * farthest(f, "10 Newton") for f in WIDE
    ),
    "It is not four plain steps either": all(
        farthest(f, "4 plain") > 2 * farthest(f, "10 Newton") for f in WIDE
    ),
    "Newton or ridge is nearest at every length": all(
        nearest(f, k) in ("10 Newton", "ridge 1") for f in WIDE for k in range(10)
    ),
    "least squares is next near the vertical line, four plain steps elsewhere": all(
        (missed("fixed", "least squares", M) > missed("fixed", "4 plain", M)) == (M in (16, 20, 24))
        and missed("random", "4 plain", M) > missed("random", "least squares", M)
        for M in range(4, 41, 4)
    ),
    "three times as far as Newton": 2.5 < against_newton("fixed") < 3.5,
    "fitted on other prompts, as many as were compared": all(
        own["fitted"] == 2048 for own in APART.values()
    ),
    "at least half of the jump is still there": min(after_the_jump("fixed", "fixed")) > 0.5,
    "in the random one most of it is gone": max(after_the_jump("random", "random_1")) < 0.5,
    "two of three seeds have more than twice": sorted(INTERLEAVED)[0]
    > 2 * max(seeds("random", "random_1")),
    "Without noise least squares is the truth from": all(
        missed(f, "least squares", M) == missed(f, "truth", M)
        for f in WIDE
        for M in (20, 24, 28, 32, 36, 40)
    ),
    "Without positions it goes on falling, up": all(
        beyond(f"{family}-no-positions", law, 2 * N) < beyond(f"{family}-no-positions", law, N)
        for family, law in (("fixed", "fixed"), ("random", "random_1"))
    ),
    "one seed of each family ({numref}`fig-wide`": all(len(ends(f)) == 1 for f in WIDE),
    "per cent left, which is met": max(ends("fixed")) <= 2,
    "That of the fixed family fell by": not any(WIDE["fixed"]["training"]["flat"]),
    "that of the random one is flat by this rule": all(WIDE["random"]["training"]["flat"]),
    "one example too many costs fivefold": 4.5
    < at_length("fixed", 41) / at_length("fixed", 40)
    < 5.5,
    "in the random family it doubles": (
        1.8 < at_length("random", 41) / at_length("random", 40) < 2.2
    ),
    "unmet in training, transformers are worse than least squares": JUDGED["noise_costs"].holds,
    "No transformer is worse than silence": all(
        one < D * c**2
        for family in ("fixed", "random")
        for c in (1, 2, 3)
        for seed in R[family]["curves"][f"random_{c**2}"]["seeds"]
        for one in seed["mean"][1:]
    ),
    "the third more than one step leaves": max(INTERLEAVED) > one_step(STEP, 1),
    "Ours are ordered in the same way": JUDGED["fixed_fails"].holds,
    "five dimensions; one fails": [name for name, one in JUDGED.items() if not one.holds]
    == ["mean-10_helps"],
    "Relative to silence an orthant costs most": max(
        SHIFTS_LEFT, key=lambda name: SHIFTS_LEFT[name]
    )
    == "orthants",
}
