#!/usr/bin/env bash
# The API reference builds without a warning, where Doxygen is installed.
command -v doxygen >/dev/null || { echo "Doxygen is not installed"; exit 77; }
exec "$(dirname "$0")/../../scripts/docs"
