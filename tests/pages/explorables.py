"""Explorable figures in a page that a browser shows: opened, and their tables read."""

from __future__ import annotations

from functools import partial

from playwright.sync_api import Page

from tests.pages.checks import opened as checked
from tests.pages.reader import settle

READ = """(root) => Object.fromEntries([...root.querySelectorAll("tbody tr:not([hidden])")].map(
  (row) => [row.querySelector("button span").textContent,
            [...row.querySelectorAll("td")].map((cell) => cell.textContent)]))"""
Table = dict[str, list[str]]
opened = partial(checked, viewport={"width": 1000, "height": 900})


def table(page: Page) -> Table:
    settle(page)
    found: Table = page.locator(".ex-fig").first.evaluate(READ)
    return found


def matches(text: str, number: float) -> bool:
    """Whether the digits shown are those of the number, to half of the last one."""
    plain = text.replace("−", "-")
    if "10" in plain and "×" in plain:
        raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
        mantissa, power = plain.split(" × 10")
        return abs(float(mantissa) * 10.0 ** int(power.translate(raised)) / number - 1) < 0.06
    digits = len(plain.partition(".")[2])
    return abs(float(plain) - number) <= 0.5 * 10.0**-digits + 1e-9
