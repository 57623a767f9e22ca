"""`python -m book._forms FORM`: what `make pdf`, `make slides` and `make instructor` run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import forms

from book._forms import pdf, slides
from book._forms.pages import ROOT

FORMS = {"pdf": pdf.write, "slides": slides.write}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m book._forms", description=__doc__)
    parser.add_argument("form", choices=FORMS)
    parser.add_argument("--book", type=Path, default=ROOT / "_build" / "html", metavar="FOLDER")
    asked = parser.parse_args()
    try:
        place = FORMS[asked.form](asked.book)
    except (FileNotFoundError, RuntimeError, ValueError) as error:
        sys.exit(f"{parser.prog}: {error}")
    forms.stamp(asked.book / asked.form, ROOT)
    forms.fill(asked.book, ROOT)
    print(f"Open {place}")


if __name__ == "__main__":
    main()
