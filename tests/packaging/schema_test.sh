#!/usr/bin/env bash
# docs/model.schema.json is what the program prints:   schema_test.sh PROGRAM      (mend: PROGRAM schema > docs/model.schema.json)
set -euo pipefail
diff <("$1" schema) docs/model.schema.json || {
  echo "docs/model.schema.json is out of date: build/release/bin/mortise schema > docs/model.schema.json" >&2
  exit 1
}
