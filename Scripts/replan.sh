#!/bin/sh
# Lets the next build in a folder make a plan of its own: Scripts/replan.sh FOLDER.
#
# Packages that share a build folder compile the library once. But if nothing seems to have changed, the package manager takes
# the plan that is there, even another package's, and then runs the other package's tests. What was compiled stays.
set -eu
rm -f "$1/debug.yaml" "$1/debug/description.json"
