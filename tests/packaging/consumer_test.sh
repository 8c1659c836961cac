#!/usr/bin/env bash
# A stranger's project finds, links and runs an installed Mortise:   consumer_test.sh BUILD_DIR CMAKE CXX
set -euo pipefail
build=$1 cmake=$2 cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
stage=$build/stage
moved=$build/stage-moved
rm -rf "$stage" "$moved" "$build/consumer"

"$cmake" --install "$build" --prefix "$stage" >/dev/null
if [ -e "$stage/include/mortise/cli" ]; then echo "headers of the command line were installed"; exit 1; fi
# The tree can be moved: nothing in it names the place it was built or staged in.
mv "$stage" "$moved"
if grep -rIlF -e "$build" -e "$(dirname "$(dirname "$build")")/src" "$moved"/lib*; then
  echo "these files name the build folder: the installation cannot be moved"
  exit 1
fi

"$cmake" -S "$here/consumer" -B "$build/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$moved" --log-level=NOTICE
"$cmake" --build "$build/consumer"
"$build/consumer/consumer"
if [ -x "$moved/bin/mortise" ]; then
  "$moved/bin/mortise" --help >/dev/null
  for file in man/man1/mortise.1 bash-completion/completions/mortise zsh/site-functions/_mortise; do
    [ -s "$moved/share/$file" ] || { echo "share/$file was not installed"; exit 1; }
  done
fi
