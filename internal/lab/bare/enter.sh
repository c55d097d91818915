#!/bin/sh
# Enters a throw-away Debian machine: enter.sh BASE WORK GOROOT NODE NPM COMMAND…, as
# the first process of new mount, PID, UTS and IPC namespaces. WORK holds all that the
# machine writes. It has this host's devices and network, and nothing else of it but
# Go and Node.
set -eu
base=$1 work=$2 goroot=$3 node=$4 npm=$5
shift 5
mount --make-rprivate /
root=$work/root
mount -t overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/work" overlay "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
hostname bare

# As the archives of go.dev and nodejs.org put them.
mkdir -p "$root/usr/local/go" "$root/opt/node/bin" "$root/opt/node/lib/node_modules/npm"
mount --bind -o ro "$goroot" "$root/usr/local/go"
: >"$root/opt/node/bin/node"
mount --bind -o ro "$node" "$root/opt/node/bin/node"
mount --bind -o ro "$npm" "$root/opt/node/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/opt/node/bin/npm"
ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/opt/node/bin/npx"

# The way to the network: name servers, and whom this host trusts besides Debian's list.
cat /etc/resolv.conf >"$root/etc/resolv.conf"
if [ -d /usr/local/share/ca-certificates ]; then
	mkdir -p "$root/usr/local/share"
	cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
fi
path=/usr/local/go/bin:/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# Not exec: who is process 1 ignores the signals that end a program.
env -i PATH=$path HOME=/root LANG=C.UTF-8 TERM=xterm \
	http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" no_proxy="${no_proxy-}" \
	NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS-}" \
	chroot "$root" /bin/sh -c 'cd /root/ipxe-all-ready && exec "$@"' sh "$@"
