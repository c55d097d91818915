//go:build containers

package compose

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/lab"
)

// bases are what the Dockerfiles start from, made of Debian's packages and this
// host's Go and Node, so that no registry of images is needed.
const bases = `cd CACHE
[ -d root ] || { debootstrap --variant=minbase --include=ca-certificates bookworm root.part && mv root.part root; }
there() { docker image inspect "$1" >/dev/null 2>&1; }
there debian:bookworm-slim || tar -C root -c . | docker import - debian:bookworm-slim
# with NAME ENV FILES…: the base and files of this host, whose certificates count too
with() {
  name=$1 env=$2; shift 2
  there $name && return
  mkdir -p base; printf 'FROM debian:bookworm-slim\nCOPY usr /usr\nCOPY etc /etc\nENV %s\n' "$env" >base/Dockerfile
  tar -c -C "$PWD/base" Dockerfile -C / "$@" etc/ssl/certs/ca-certificates.crt | docker build -q -t $name -
}
GOROOT=$(go env GOROOT)
[ "$GOROOT" = /usr/local/go ] || { rm -rf golang; mkdir -p golang/usr/local; cp -a "$GOROOT" golang/usr/local/go; }
if [ -d golang ]; then go="-C $PWD/golang usr/local/go -C /"; else go=usr/local/go; fi
with golang:GOVERSION-bookworm 'PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin GOTOOLCHAIN=local' $go
node=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
rm -rf nodejs; mkdir -p nodejs/usr/bin nodejs/usr/lib/node_modules
cp "$node/bin/node" nodejs/usr/bin/; cp -a "$node/lib/node_modules/npm" nodejs/usr/lib/node_modules/
ln -s ../lib/node_modules/npm/bin/npm-cli.js nodejs/usr/bin/npm
with node:20-bookworm-slim 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' -C "$PWD/nodejs" usr -C /`

// build makes the images of this checkout, in this host's network.
func build(t *testing.T, l *lab.Lab) {
	t.Helper()
	root, err := lab.Root()
	must(t, err)
	e := start(t, l, "builder", nil)
	defer e.stop()
	release, _, _ := strings.Cut(strings.TrimPrefix(read(t, "../docker/ipxe-cp/Dockerfile")[strings.Index(read(t, "../docker/ipxe-cp/Dockerfile"), "golang:"):], "golang:"), "-")
	e.run("export HOME=" + os.Getenv("HOME") + "\n" + strings.NewReplacer("CACHE", cache(t), "GOVERSION", release).Replace(bases))
	args := ""
	for _, name := range []string{"GOPROXY", "NPM_CONFIG_REGISTRY"} {
		if v := os.Getenv(name); v != "" {
			args += fmt.Sprintf(" --build-arg %s=%s", name, v)
		}
	}
	for name := range dockerfiles(t) {
		e.run(fmt.Sprintf("cd %s && docker build --network=host%s -f deploy/docker/%s/Dockerfile -t %s:dev .",
			root, args, name, "ipxe-"+strings.TrimPrefix(name, "ipxe-")))
	}
	t.Log("\n" + e.run("docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}'"))
	e.run("docker image prune -f")
	must(t, os.RemoveAll(filepath.Join(cache(t), "base")))
}
