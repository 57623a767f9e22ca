"""The versions that the environment page prints."""

from __future__ import annotations

import platform
from importlib import metadata

from book._ext import environment_page


def test_every_pin_is_listed_with_what_is_installed() -> None:
    numpy = metadata.version("numpy")
    text = f"# a comment with numpy==1\n-e ./lib\nnumpy=={numpy}\nno-such-package==1.0\n"
    assert environment_page.versions(text) == [
        ("numpy", numpy),
        ("no-such-package", "not installed (pinned: 1.0)"),
    ]


def test_another_version_than_the_pin_is_said() -> None:
    ((_, shown),) = environment_page.versions("numpy==0.1\n")
    assert shown == f"{metadata.version('numpy')} (pinned: 0.1)"


def test_a_local_version_counts_as_its_release() -> None:
    torch = metadata.version("torch").partition("+")[0]
    ((_, shown),) = environment_page.versions(f"torch=={torch}\n")
    assert "pinned" not in shown


def test_the_machine_is_this_one() -> None:
    found = dict(environment_page.machine())
    assert found["Python"] == platform.python_version()
    assert found["built"].endswith("UTC")
