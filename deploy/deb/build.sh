#!/bin/sh
# Makes the Debian packages of what make build and make web made: build.sh VERSION. They go to
# dist/, or $OUT; the programs come from bin/, or $BIN.
set -eu
cd "$(dirname "$0")/../.."
version=${1#v}
case $version in
[0-9]*.[0-9]*) version=$(echo "$version" | tr - +) ;; # 1.2.0-5-gabcdef, five commits after 1.2.0, sorts behind it
*) version="0.0~$(git show -s --format=%cd --date=format:%Y%m%d%H%M%S HEAD).$(echo "$version" | tr - .)" ;;
esac
VERSION=$version
GOARCH=$(${GO:-go} env GOARCH)
export VERSION GOARCH

[ -e web/dist/index.html ] || {
	echo "deb: there is no web/dist/index.html; make web first" >&2
	exit 1
}
out=${OUT:-dist}
mkdir -p "$out" .cache/deb
out=$(realpath "$out")
work=$(mktemp -d .cache/deb/work.XXXXXX)
work=$(realpath "$work")
trap 'rm -rf "$work"' EXIT
deploy/install.sh install "$work/root" /usr /etc
cp -r deploy/deb/*.yaml deploy/deb/ipxe-cp deploy/deb/ipxe-agent deploy/deb/ipxe-web "$work/"

nfpm=$PWD/.cache/deb/nfpm
${GO:-go} -C deploy/deb/tools build -o "$nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
cd "$work"
for package in ipxe-cp ipxe-agent ipxe-tui ipxe-web ipxe-all-ready-doc; do
	rm -f "$out/${package}_"*.deb
	"$nfpm" package --packager deb --config "$package.yaml" --target "$out/" >nfpm.log || {
		cat nfpm.log >&2
		exit 1
	}
done
ls "$out"
