"""Statements, proofs, exercises, tables and captions are those that somebody read last."""

from __future__ import annotations

import pytest

from tests.text import signed
from tests.text.page import pages, text_of

PAGE = """# A page

(a-section)=
## Loss

:::{prf:theorem} A name
:label: thm-one
If $d\\ge2$, it falls.
:::

:::{prf:proof}
By $a=b$.
:::

| needs | breaks |
|---|---|
| noise | no noise |

```{exercise-start} How far?
:label: ex-far
```
Find $a<b$.
```{exercise-end}
```

Some prose.
"""


@pytest.mark.parametrize("name", pages())
def test_formal_text_was_read_since_it_changed(name: str) -> None:
    """Else: read it against its proof, its receipt and the pages that repeat it; then sign."""
    assert signed.changed(name, text_of(name)) == [], f"python -m tests.text --sign {name}"


def test_each_change_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signed.digests("p", PAGE)
    assert [*before] == [
        "p: thm-one",
        "p: thm-one prf proof",
        "p: ex-far",
        "p: table needs breaks",
    ]
    monkeypatch.setattr(signed, "listed", lambda: before)
    for old, new, key in (
        ("d\\ge2", "d\\ge1", "p: thm-one"),
        ("a=b", "a=-b", "p: thm-one prf proof"),
        ("a<b", "a>b", "p: ex-far"),
        ("| no noise", "| noise", "p: table needs breaks"),
    ):
        assert signed.changed("p", PAGE.replace(old, new)) == [key]
    assert signed.changed("p", PAGE.replace("Some prose", "Other\nprose")) == []
    assert signed.changed("p", PAGE.replace("it falls", "it\nfalls")) == []


def test_all_statements_and_proofs_of_the_book_are_signed() -> None:
    text = "".join(text_of(name) for name in pages())
    keys = "\n".join(signed.listed())
    for kind in ("prf:proof}", "solution-start}"):
        assert keys.count(kind.replace(":", " ").rstrip("}")) == text.count("{" + kind)
    labels = signed.LABEL.findall(text)
    assert (
        len(labels) > 150 and [label for label in labels if f": {label}\n" not in keys + "\n"] == []
    )
