"""Faults of text: a number, a fraction, a printed formula, a text alternative, a docstring."""

from __future__ import annotations

from dataclasses import replace

from tests.mutations.runner import BOOK, PAGES, UNIT, Mutation, change, patches

NUMBERS = "test_text_numbers.py::test_no_number_of_a_page_is_wrong_and_none_new_is_loose[{}]"
FORMULAS = "test_text_formulas.py::test_the_printed_formula_is_that_of_the_package[{}-0]"
DOCSTRINGS = "test_text_docstrings.py::test_the_docstring_has_the_formula_and_it_is_right"


def on_page(name: str, page: str, old: str, new: str) -> Mutation:
    """A fault among the numbers of a page, in `old`, which stands there once."""
    return change(name, f"{page}: {new}", f"{page}.md", old, new, NUMBERS.format(page), PAGES)


def in_formula(name: str, page: str, old: str, new: str, label: str) -> Mutation:
    test = FORMULAS.format(label)
    return change(name, f"{label}: {new}", f"{page}.md", old, new, test, PAGES)


def in_docstring(name: str, file: str, old: str, new: str) -> Mutation:
    """Guarded beside the pages' formulas, not in the folder of the module's tests."""
    made = change(name, f"docstring: {new}", file, old, new, DOCSTRINGS)
    return replace(made, test=str(UNIT[PAGES] / DOCSTRINGS))


SHIFTS, FLOW, FIRST = "distribution_shifts", "pl_convergence", "icl_definitions"

TEXT = (
    # Planted once by somebody who did not write the tests; each of them escaped.
    on_page("text-bias", SHIFTS, r"$0.188+\frac{3.72}M$", r"$0.198+\frac{3.72}M$"),
    on_page(
        "text-caption-noise", SHIFTS, "of prompts in dimension six", "of prompts in dimension two"
    ),
    on_page("text-caption-prompts", SHIFTS, "squares on 4000 prompts", "squares on 40000 prompts"),
    on_page("text-exercise", SHIFTS, "Check it for $d=2$, $M=20$", "Check it for $d=2$, $M=25$"),
    on_page("text-solution", SHIFTS, "$V$ rises, by 1.84", "$V$ rises, by 1.48"),
    on_page("text-prose", FIRST, "keeps a floor of $0.188$", "keeps a floor of $0.198$"),
    on_page(
        "text-by-hand",
        FLOW,
        r"\gamma_1=\frac98\cdot2+\frac5{16}=\frac{41}{16}$ and",
        r"\gamma_1=\frac98\cdot2+\frac5{16}=\frac{43}{16}$ and",
    ),
    on_page(
        "text-alternative",
        FLOW,
        "plateau near the level of silence",
        "plateau above the level of silence",
    ),
    in_formula(
        "text-prediction-risk",
        SHIFTS,
        r"+\frac1{N^2}\,a^\top(\Lambda+\operatorname{tr}(\Lambda)I)^2\,\Gamma^{-2}\Lambda\,a .",
        r"+\frac1{M^2}\,a^\top(\Lambda+\operatorname{tr}(\Lambda)I)^2\,\Gamma^{-2}\Lambda\,a .",
        "eq-prediction-risk",
    ),
    in_docstring(
        "text-docstring-gamma",
        "lsa.py",
        "(1 + 1/N)Λ + (tr Λ/N) I, shape",
        "(1 + 1/N)Λ + (tr Λ/2N) I, shape",
    ),
    # Others of the same kinds.
    on_page("text-fraction", FLOW, r"=-\frac{265}{287}$. Add", r"=-\frac{256}{287}$. Add"),
    on_page("text-percent", FLOW, r"at best: $44\,\%$ more", r"at best: $34\,\%$ more"),
    on_page("text-bound", FLOW, r"$u_0<0.743$", r"$u_0<0.734$"),
    on_page(
        "text-matrix",
        FLOW,
        r"\frac{11}{128}&-\frac{21}{64}\\",
        r"\frac{11}{128}&\frac{21}{64}\\",
    ),
    on_page("text-quarter", FLOW, "about a quarter of it", "about a third of it"),
    on_page(
        "text-word",
        FLOW,
        "four times the squared distance",
        "five times the squared distance",
    ),
    on_page("text-exercise-tuple", SHIFTS, "with $w=(1,1)$ and $N=8$", "with $w=(1,1)$ and $N=9$"),
    on_page("text-exercise-list", FLOW, r"For $\kappa=1,3,10,30$", r"For $\kappa=1,3,20,30$"),
    on_page(
        "text-hand-shares",
        FIRST,
        r"has the shares $2$ and",
        r"has the shares $3$ and",
    ),
    on_page("text-alt-count", FLOW, 'alt="Four rising curves', 'alt="Five rising curves'),
    in_formula(
        "text-limit",
        FLOW,
        r"\|\Gamma^{-1}\|_F^{1/2},\qquad u_{12}",
        r"\|\Gamma^{-1}\|_F^{-1/2},\qquad u_{12}",
        "eq-limit",
    ),
    in_formula(
        "text-escape",
        FLOW,
        r"\frac{2u_1}{(1+\cos\vartheta)u_0}+",
        r"\frac{u_1}{(1+\cos\vartheta)u_0}+",
        "eq-escape",
    ),
    in_formula(
        "text-gap",
        "ltb_vs_lsa",
        r"\frac{\|\beta^\ast\|_\Lambda^2}{M+1} ,",
        r"\frac{\|\beta^\ast\|_\Lambda^2}{M+2} ,",
        "eq-ltb-gap",
    ),
    in_formula("text-kappa", "random_covariance", r"(1+\frac2N)m_3", r"(1+\frac1N)m_3", "eq-kappa"),
    in_formula(
        "text-best-step",
        "gd_beta",
        r"{(M+1)\varphi_i+\tau},",
        r"{(M+1)\varphi_i-\tau},",
        "eq-gd-min",
    ),
    in_docstring(
        "text-docstring-loss",
        "landscape/fixed.py",
        "ℓ̃(U, u) = tr[½ u²",
        "ℓ̃(U, u) = tr[u²",
    ),
    in_docstring(
        "text-docstring-bound",
        "ltb/bounds.py",
        "‖β*‖²_H/(M+1), ‖β*‖²_H",
        "‖β*‖²_H/M, ‖β*‖²_H",
    ),
    # Told to a wrong answer that comes of something else; each of the first two was so once.
    change(
        "text-diagnosis-head-start",
        "9.3: 1/(4π) where 1/π is said",
        "exercises/chapter_9.py",
        "math.tan(math.pi * (1 - chance))",
        "math.tan(math.pi * (1 - chance) / 4)",
        "exercises/test_diagnoses.py::test_who_does_what_a_diagnosis_says_is_told_it[9.3-None]",
        BOOK,
    ),
    change(
        "text-diagnosis-noise",
        "7.3: the noise is left out of τ in one place of two",
        "exercises/chapter_7.py",
        "square(M, noise)\n",
        "square(M, noise_variance)\n",
        "exercises/test_diagnoses.py::test_who_does_what_a_diagnosis_says_is_told_it[7.3-None]",
        BOOK,
    ),
    change(
        "text-hint-count",
        "2.2: n/2 for large n",
        "exercises/chapter_2.py",
        "about nD/(2D + 1) plus",
        "about n/2 plus",
        "exercises/test_hints.py::test_no_formula_of_a_hint_is_loose[2.2]",
        BOOK,
    ),
    # Planted blind a second time; these escaped too.
    *patches(
        r"""
text-row-hypothesis: a row of results without a hypothesis
gd_beta.md test_hypotheses.py::test_a_row_of_results_asks_for_what_its_theorems_ask_for
- | Gaussian points, $\tau>0$; for blocks Gaussian tasks too |
+ | Gaussian points; for blocks Gaussian tasks too |

text-lost-hypothesis: a theorem without a hypothesis that its row has
ltb_vs_lsa.md test_hypotheses.py::test_a_row_of_results_asks_for_what_its_theorems_ask_for
- Let $\Lambda,\Psi\succ0$, all else fixed. Then $M\,
+ Let $\Lambda\succ0$, all else fixed. Then $M\,

text-other-result: a link to another result
intro.md test_hypotheses.py::test_a_summary_names_the_result_that_it_means[intro]
- ({prf:ref}`prp-unbalanced`), and the length
+ ({prf:ref}`prp-stability`), and the length

text-other-work: a citation of another work
nonlinear_transformers.md test_references.py::test_a_work_is_cited_for_what_it_has
- is reported by {cite:t}`fu2024second`; what
+ is reported by {cite:t}`letey2025alignment`; what

text-state: a link that sets another state
distribution_shifts.md test_text_states.py::test_a_number_that_a_link_sets_without_a_word_is_right
- <dial: N = 32; alpha = 0.9412; M = 64>
+ <dial: N = 32; alpha = 0.8412; M = 64>

text-order: the bias with another power
what_we_know.md test_text_orders.py::test_floor_and_rest_fall_with_the_same_powers_everywhere
- plus a bias of order $1/N^2$ ({prf:ref}`prp-floor`
+ plus a bias of order $1/N$ ({prf:ref}`prp-floor`

text-erratum: what is right, made wrong
errata.md test_quotations.py::test_what_an_erratum_calls_right_stands_in_its_result
- almost surely $\min(N,d)+1$
+ almost surely $\max(N,d)+1$

text-table-of-shifts: a row of a table of formulas
distribution_shifts.md test_text_formulas.py::test_the_table_of_shifts_is_that_of_the_package
- \frac{M+r+1}M-2\frac drs+1$ |
+ \frac{M+d+1}M-2\frac drs+1$ |
""",
        PAGES,
    ),
)
