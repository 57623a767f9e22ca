"""The search index: boxes under their names and numbers, also where an old index is read again."""

from book._ext.search_names import retitled

NUMBERS = {"lem-balance": "Lemma 3.2", "prf-note": ""}
INDEXED = [
    ("Gradient flow", None),
    ("What the flow conserves", "conserves"),
    (" (Balance)", "lem-balance"),
    ("", "prf-note"),
]
WANTED = [
    ("Gradient flow", None),
    ("What the flow conserves", "conserves"),
    ("Balance", "lem-balance"),
    ("Lemma 3.2", "lem-balance"),
]


def test_a_box_is_found_by_name_and_by_number() -> None:
    assert retitled(INDEXED, NUMBERS) == WANTED


def test_an_index_read_again_is_the_same_and_follows_a_new_number() -> None:
    assert retitled(WANTED, NUMBERS) == WANTED
    moved = retitled(WANTED, {**NUMBERS, "lem-balance": "Lemma 3.4"})
    assert moved == [*WANTED[:3], ("Lemma 3.4", "lem-balance")]


def test_a_number_with_a_letter_is_a_number() -> None:
    assert retitled([("Lemma P.2", "lem-balance")], {"lem-balance": "Lemma P.3"}) == [
        ("Lemma P.3", "lem-balance")
    ]


def test_a_section_in_brackets_keeps_its_title() -> None:
    assert retitled([(" (An aside)", "aside")], NUMBERS)[0] == (" (An aside)", "aside")
