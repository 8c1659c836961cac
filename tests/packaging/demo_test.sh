#!/usr/bin/env bash
# The demo ends with a table of one line an example, each with DOF, rank, drift and violations, and the files it names.
set -uo pipefail
[ -x build/release/bin/mortise ] || exit 77
log=$(scripts/demo) || { echo "$log"; exit 1; }
lines=$(grep -cE '^five-bar[a-z-]* +1  11 of 12 +[0-9]e-0[0-9]  [0-9]e-[0-9]+ +[0-9]e-[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+$' <<<"$log")
if [ "$lines" -ne 2 ]; then
  echo "the demo's table has $lines good lines, not 2:"
  echo "$log"
  exit 1
fi
for file in demo/five-bar.svg demo/five-bar.h5 demo/five-bar-crossing.svg demo/five-bar-crossing.json; do
  [ -s "$file" ] || { echo "$file is missing"; exit 1; }
done
