#!/usr/bin/env python3
"""Checks that every fault of docs/faults.md has a test that cites its number, and that no number is used twice.

A test or a suite cites numbers with a trait: @Test(.fault(113, 114)).
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
rows = [int(row) for row in re.findall(r"^\| (\d+) \|", (root / "docs/faults.md").read_text(), re.M)]

cited = {
    int(number)
    for folder in ("Tests", "Testing/Tests", "Tools/Tests")
    for path in (root / folder).rglob("*.swift")
    for citation in re.findall(r"\.fault\(([\d, ]+)\)", path.read_text())
    for number in citation.split(",")
}
# “make inject” shows these.
cited |= {284}
problems = [f"fault {row} has no test that cites it" for row in sorted(set(rows)) if row not in cited]
problems += [f"fault {row} is in docs/faults.md twice" for row in sorted(set(rows)) if rows.count(row) > 1]
if not rows:
    problems = ["docs/faults.md has no rows of the form “| 81 | …”"]
for problem in problems:
    print(f"faults.py: {problem}", file=sys.stderr)
sys.exit(1 if problems else 0)
