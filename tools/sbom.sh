#!/usr/bin/env bash
# Writes what each program and the browser console are made of, in CycloneDX:
# of the programs as they were built, not of what go.mod could have.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-dev}
mkdir -p bin/sbom
for program in ipxe-cp ipxe-agent ipxe-tui; do
  go tool -modfile=tools/go.mod cyclonedx-gomod bin -json -version "$version" -output "bin/sbom/$program.cdx.json" "bin/$program"
done
if [ -f web/package.json ]; then
  (cd web && npm sbom --sbom-format cyclonedx --omit dev --package-lock-only) >bin/sbom/web.cdx.json
fi
ls -l bin/sbom
