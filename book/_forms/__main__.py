"""`python -m book._forms FORM`: what `make pdf`, `make slides` and `make instructor` run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from book._ext import forms
from book._forms import chromium, instructor, pdf, slides
from book._forms.pages import ROOT

FORMS = {"pdf": pdf.write, "slides": slides.write}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m book._forms", description=__doc__)
    parser.add_argument("form", choices=(*FORMS, "instructor"))
    parser.add_argument("--book", type=Path, default=ROOT / "_build" / "html", metavar="FOLDER")
    parser.add_argument(
        "--seed", nargs="+", default=["class"], help="of the problem sheets: one set for each"
    )
    asked = parser.parse_args()
    try:
        if asked.form == "instructor":
            place = instructor.write(asked.book, asked.seed)
        else:
            place = FORMS[asked.form](asked.book)
            forms.stamp(asked.book / asked.form, ROOT)
            forms.fill(asked.book, ROOT)
    except (FileNotFoundError, chromium.Missing, ValueError) as error:
        sys.exit(f"{parser.prog}: {error}")
    print(f"Open {place.resolve()}")


if __name__ == "__main__":
    main()
