#!/usr/bin/env bash
# Every header compiles alone; a public one with nothing but the standard library and Eigen in sight. A header that
# passed is looked at again when it, or one of ours that it includes, has changed:
#   headers_test.sh CXX BUILD_DIR EIGEN_INCLUDE HDF5_INCLUDES [strict]
# Eigen is read once for all of them, four times as fast; what it brings of the standard library is then in sight too.
# `strict` does without.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CXX=$1 STAMPS=$2/headers-test${5:+-$5} EIGEN=$3 PRIVATE_INCLUDES= SEEN=
mkdir -p "$STAMPS"
export FLAGS="-x c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -DEIGEN_MPL2_ONLY"
if [ -z "${5:-}" ]; then
  echo '#include <Eigen/Dense>' >"$STAMPS/eigen.h"
  $CXX ${FLAGS/c++/c++-header} -isystem "$EIGEN" "$STAMPS/eigen.h" -o "$STAMPS/eigen.h.gch"
  SEEN="-include $STAMPS/eigen.h"
fi
IFS=';' read -ra hdf5 <<<"${4:-}"
for folder in "${hdf5[@]}"; do PRIVATE_INCLUDES+=" -isystem $folder"; done

passed_before() { # stamp: a list of files for make; none of them newer, none gone
  [ -f "$1" ] && ! find $(sed 's/^.*: //; s/\\$//' "$1" | grep -v '^- *$') cmake/private-headers.txt -newer "$1" 2>&1 | grep -q .
}
check() { # header: compiles a file that includes it and nothing else
  local header=$1 stamp=$STAMPS/${1//\//-} includes="-I src -isystem $EIGEN" inside='^ *# *include *<(hdf5|H5|yaml-cpp/|spdlog/|fmt/|CLI/|tbb/|oneapi/|sundials/|cvode/|nvector/|xxhash|nlohmann/)'
  if passed_before "$stamp"; then return; fi
  rm -f "$stamp"
  if [[ $header == mortise/cli/* || $header == mortise/integrate/sundials/* ]] || grep -qxF "$header" cmake/private-headers.txt; then
    includes+=$PRIVATE_INCLUDES
  elif grep -nE "$inside" "src/$header"; then
    echo "src/$header shows a library we use inside to whoever includes it: move the include to the .cpp, or list the"
    echo "header in cmake/private-headers.txt"
    return 1
  fi
  if ! echo "#include \"$header\"" | $CXX $FLAGS -fsyntax-only -MMD -MF "$stamp.new" $SEEN $includes -; then
    echo "src/$header does not compile alone"
    return 1
  fi
  mv "$stamp.new" "$stamp"
}
export -f passed_before check
mapfile -t headers < <(cd src && find mortise -name '*.h' | sort)
printf '%s\n' "${headers[@]}" | xargs -P 2 -I{} bash -c 'check "$1"' _ {}
echo "${#headers[@]} headers compile alone"
