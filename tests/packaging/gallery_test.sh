#!/usr/bin/env bash
# The gallery has a card, a page and the right facts for a redundant, a contradictory and a plain example:   gallery_test.sh PROGRAM
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
MORTISE=$1 GALLERY=$folder PICTURES=0 scripts/gallery five-bar table-broken pendulum
has() { grep -qF -- "$1" "$folder/index.html" || { echo "index.html lacks: $1"; exit 1; }; }
has '<article class="redundant"><a href="five-bar.html"><img src="five-bar.svg"'
has '<span>1 of 12 rows redundant</span>'
has '<article class="conflict"><div class="text"><h3>Table with a leg too long</h3>'
has '<article class="plain"><a href="pendulum.html">'
for file in five-bar.html five-bar.svg five-bar.yaml table-broken.html pendulum.html; do
  [ -s "$folder/$file" ] || { echo "$file is missing"; exit 1; }
done
# An example that cannot be run is a card that says so, and a failure.
if MORTISE=/bin/false GALLERY=$folder PICTURES=0 scripts/gallery pendulum >/dev/null; then echo "a failure went unnoticed"; exit 1; fi
has '<span class="clash">failed</span>'
