#!/usr/bin/env bash
# No file names a package host, a folder of somebody's machine, or work left for later.
set -euo pipefail
cd "$(dirname "$0")/../.."
hosts='(deb|security|snapshot|ftp[.a-z]*)[.]debian[.]org|(archive|ports)[.]ubuntu[.]com|pypi[.]org|pythonhosted[.]org|registry[.]npmjs|anaconda[.]org|registry[.]yarnpkg'
folders='(^|[^A-Za-z0-9_.~-])/(work|root|home)/'
later='\b(TO[D]O|FIX[M]E|XX[X])\b'

if git rev-parse --git-dir >/dev/null 2>&1; then
  list() { git ls-files -z --cached --others --exclude-standard; }
else
  list() { find . -type f -not -path './build/*' -not -path './demo/*' -print0; }
fi
status=0
look() { # pattern message
  if list | xargs -0 -r grep -nIEs -e "$1"; then echo "^ $2"; status=1; fi
}
look "$hosts" 'a package host: name the package, not where it comes from'
look "$folders" "a folder of somebody's machine"
look "$later" 'work left for later: do it, or write an issue'
exit $status
