#!/usr/bin/env bash
# The package as others get it: installed by CMake under a prefix that is then moved, and as a wheel by pip without the
# network:   wheel_test.sh BUILD_DIR CMAKE PYTHON SOURCE_DIR
set -euo pipefail
build=$1 cmake=$2 python=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH
try='
import mortise as mt, sys
r = mt.load(sys.argv[1] + "/examples/five-bar.yaml").run(until=0.1)
assert mt.load(sys.argv[1] + "/examples/five-bar.yaml").check().rank == 11 and r.status == "done"
print(mt.__file__)
'
"$cmake" --install "$build" --prefix "$work/there" >/dev/null
mv "$work/there" "$work/moved"
folder=$(dirname "$(dirname "$(find "$work/moved" -name '_mortise*.so')")")
found=$(cd "$work" && PYTHONPATH=$folder "$python" -B -c "$try" "$source")
[[ $found == "$work/moved/"* ]] || { echo "imported from $found"; exit 1; }
rm -rf "$work/moved"

wheel=$("$source/scripts/wheel" "$build" "$work/wheel")
if ! "$python" -m venv --system-site-packages "$work/venv" 2>/dev/null; then
  echo "python3-venv is not installed: the wheel was built and not installed"
  exit 77
fi
"$work/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
found=$(cd "$work" && "$work/venv/bin/python" -B -c "$try" "$source")
[[ $found == "$work/venv/"* ]] || { echo "imported from $found"; exit 1; }
"$work/venv/bin/pip" check --disable-pip-version-check | grep -i mortise && exit 1
"$work/venv/bin/pip" uninstall --quiet --yes --disable-pip-version-check mortise
! (cd "$work" && "$work/venv/bin/python" -c "import mortise" 2>/dev/null)
