#!/bin/bash
# Downloads two versions of two libraries that others made, as Python wheels, and runs the tests that carry them:
# “make real-libraries”.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-libraries.XXXXXX")
trap 'rm -rf "$work"' EXIT

# fetch LIBRARY NUMBER PACKAGE VERSION FILE: the library's version as a number, and its file in the wheel.
fetch() {
    local folder=$work/wheels/$3-$4
    python3 -m pip download --quiet --no-deps --only-binary=:all: --platform manylinux_2_31_x86_64 \
        --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 --python-version 3.11 --dest "$folder" "$3==$4"
    python3 -m zipfile -e "$folder"/*.whl "$folder"
    mkdir -p "$work/libraries/$1"
    cp "$folder/$5" "$work/libraries/$1/$2"
}

fetch sndfile 1002000 soundfile 0.12.1 _soundfile_data/libsndfile_x86_64.so
fetch sndfile 1002002 soundfile 0.13.1 _soundfile_data/libsndfile_x86_64.so
fetch usb 1000026 libusb-package 1.0.26.2 libusb_package/libusb-1.0.so
fetch usb 1000030 libusb-package 1.0.30.0 libusb_package/libusb-1.0.so

Scripts/replan.sh .build
REAL_LIBRARIES=$work/libraries swift test --filter RealLibraryTests
