#!/usr/bin/env bash
# Holds what we build on against the databases of known faults. What is found
# is a failure; a database that cannot be asked is named, and a failure only
# with AUDIT_STRICT=1, since not every place where this runs has the internet.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${AUDIT_TIME:-180} # s, each
failed=0 unasked=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

say() { printf '%-12s %s\n' "$1" "$2"; }
not_asked() { say "$1" "NOT CHECKED: $2"; unasked=1; }
found() { say "$1" "FAULTS FOUND"; cat "$out"; failed=1; }

# Every module is the one that go.sum names.
if go mod verify >"$out" 2>&1; then say modules "$(tail -n1 "$out")"; else found modules; fi

# Only faults in code that is called count; GOVULNDB=file:///… names a mirror.
rc=0
timeout "$limit" go tool -modfile=tools/go.mod govulncheck -db "${GOVULNDB:-https://vuln.go.dev}" ./... >"$out" 2>&1 || rc=$?
case $rc in
  0) say govulncheck "no fault in what is called" ;;
  3) found govulncheck ;;
  *) not_asked govulncheck "$(grep -v '^$' "$out" | tail -n1 | cut -c1-160)" ;;
esac

if [ -f web/package.json ]; then
  (cd web && timeout "$limit" npm audit --omit dev --package-lock-only --json) >"$out" 2>/dev/null || true
  if ! grep -q '"auditReportVersion"' "$out"; then
    not_asked npm "the registry has no answer to npm audit"
  elif grep -q '"total": 0' "$out"; then
    say npm "no fault in what the browser gets"
  else
    found npm
  fi
fi

[ "$failed" = 0 ] || exit 1
[ "$unasked" = 0 ] || [ "${AUDIT_STRICT:-0}" != 1 ]
