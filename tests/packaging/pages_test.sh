#!/usr/bin/env bash
# docs/joints.md and its like are what the program prints, and each part has its figure:   pages_test.sh PROGRAM
set -euo pipefail
status=0
for section in bodies joints drivers forces events; do
  diff <("$1" list $section --markdown) "docs/$section.md" || status=1
  for type in $("$1" list $section | awk '{print $1}'); do
    [ -s "docs/figures/$section-$type.svg" ] || { echo "docs/figures/$section-$type.svg is missing" >&2; status=1; }
  done
done
for section in formulations pseudoinverses coordinates integrators stabilizations; do
  # A build without SUNDIALS says so in the place of `bdf`.
  if "$1" list $section | grep -q "not in this build"; then continue; fi
  diff <("$1" list $section --markdown) "docs/$section.md" || status=1
done
[ $status = 0 ] || echo "the pages of parts are out of date: scripts/part-pages" >&2
exit $status
