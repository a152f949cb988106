#!/bin/sh
# Checks that the subjects of commits have at most 72 columns, as CONTRIBUTING.md promises. Commits before the first
# check are left out.
set -eu
cd "$(dirname "$0")/.."
first=569b9bcdd1ab7adef577d33a532de3d464bdaf07
git cat-file -e "$first^{commit}" 2>/dev/null || {
    echo "subjects: the history here does not reach back to $first; nothing is checked" >&2
    exit 0
}
# In UTF-8, a column is a character and not a byte.
long=$(git log --no-merges --format='%h %s' "$first..HEAD" | python3 -c '
import sys
for line in sys.stdin:
    commit, _, subject = line.rstrip("\n").partition(" ")
    if len(subject) > 72:
        print(f"{commit}: {len(subject)} columns: {subject}")')
[ -z "$long" ] || { printf 'subjects: longer than 72 columns:\n%s\n' "$long" >&2; exit 1; }
