#!/usr/bin/env python3
"""Checks that every fault of docs/faults.md has a test that cites its number, and that no number is used twice.

A test cites numbers in its name (fault81_…, faults113And114_…), at the beginning or the end of its title ("28: …",
"… (63, 64)"), or in a comment ("Faults 22 and 23"); "to" means all numbers in between.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
rows = [int(row) for row in re.findall(r"^\| (\d+) \|", (root / "docs/faults.md").read_text(), re.M)]

NUMBERS = r"\d+(?:(?: to |, and | and |, |And|_)\d+)*"
CITATIONS = [
    re.compile(rf"\bfaults?_?({NUMBERS})_"),
    re.compile(rf'@Test\(\s*"[^"\n]*\(({NUMBERS})\)"'),
    re.compile(rf'@Test\(\s*"({NUMBERS}): '),
    re.compile(rf"\b[Ff]aults? ({NUMBERS})\b"),
]


def numbers(text):
    for first, last in re.findall(r"(\d+) to (\d+)", text):
        yield from range(int(first), int(last) + 1)
    yield from map(int, re.findall(r"\d+", text))


cited = {
    number
    for folder in ("Tests", "Testing/Tests", "Tools/Tests")
    for path in (root / folder).rglob("*.swift")
    for pattern in CITATIONS
    for citation in pattern.findall(path.read_text())
    for number in numbers(citation)
}
problems = [f"fault {row} has no test that cites it" for row in sorted(set(rows)) if row not in cited]
problems += [f"fault {row} is in docs/faults.md twice" for row in sorted(set(rows)) if rows.count(row) > 1]
if not rows:
    problems = ["docs/faults.md has no rows of the form “| 81 | …”"]
for problem in problems:
    print(f"faults.py: {problem}", file=sys.stderr)
sys.exit(1 if problems else 0)
