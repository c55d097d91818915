#!/bin/sh
# Installs what the demo, or the demo and all tests run besides git, make, Go and
# Node, on Debian 12 and 13: prerequisites.sh demo|all. Only what is missing is
# installed, and no daemon is started.
set -eu

for=${1:-all}
case $for in
demo | all) ;;
*)
	echo "usage: prerequisites.sh [demo|all]" >&2
	exit 2
	;;
esac

if [ "$(id -u)" -ne 0 ]; then
	echo "prerequisites: installing packages and making network namespaces need root" >&2
	exit 1
fi
if ! command -v apt-get >/dev/null; then
	echo "prerequisites: this script knows Debian's apt-get only; see the list in it" >&2
	exit 1
fi

# Before anything is installed: what this script does not bring. From 1.21 on Go
# fetches the version that go.mod names by itself.
go=${GO:-go}
have=$(cd / && "$go" env GOVERSION 2>/dev/null) || have=
if [ -z "$have" ]; then
	echo "prerequisites: Go 1.26 is needed and not in PATH; see https://go.dev/doc/install" >&2
	exit 1
fi
if [ "$(printf '%s\n' "$have" go1.21 | sort -V | head -n 1)" != go1.21 ]; then
	echo "prerequisites: Go 1.26 is needed and this is $have; see https://go.dev/doc/install" >&2
	exit 1
fi

# What the browser console is built with wants; web/package.json says the same.
node=$(node -p process.versions.node 2>/dev/null) || node=
if [ -z "$node" ] || ! command -v npm >/dev/null; then
	echo "prerequisites: Node 20.19, 22.13 or 24 and newer with npm is needed and not in PATH; see https://nodejs.org/en/download" >&2
	exit 1
fi
minor=${node#*.} minor=${minor%%.*}
case ${node%%.*} in
20) [ "$minor" -ge 19 ] || old=$node ;;
22) [ "$minor" -ge 13 ] || old=$node ;;
? | 1? | 21 | 23) old=$node ;;
esac
if [ -n "${old-}" ]; then
	echo "prerequisites: Node 20.19, 22.13 or 24 and newer is needed and this is $old; see https://nodejs.org/en/download" >&2
	exit 1
fi

# package: why
wanted='
binutils: assembles the boot sector of the test disks
ca-certificates: Go and npm fetch by HTTPS
curl: speaks to the API
dnsmasq-base: DHCP and TFTP
iproute2: network namespaces
ipxe: boot loader that TFTP serves
ipxe-qemu: boot loader in the virtual network cards
libnginx-mod-http-js: the scripts of the file server run in nginx
nginx: serves console and files; the light packages only add modules to it
qemu-system-x86: the virtual machines
seabios: BIOS firmware
tgt: iSCSI target server
'
wanted_by_tests='
btrfs-progs: makes the file system that clones by reflink
chromium: the browser that the console is tried in
debian-archive-keyring: lets debootstrap trust what it fetches
debootstrap: makes the machine that our Debian packages are tried on
docker-compose: reads the compose files as their readers do
e2fsprogs: makes a file system for clone tests
fonts-dejavu-core: Latin letters in it
fonts-wqy-zenhei: Chinese letters in it
isc-dhcp-server: another DHCP server, as the guide sets it up
gcc: the race detector needs a C compiler
kea-dhcp4-server: another DHCP server, as the guide sets it up
libc6-dev: the race detector needs the C headers
libiscsi-bin: an independent iSCSI initiator
mtools: makes the UEFI test disk
ovmf: UEFI firmware
qemu-block-extra: lets qemu-io speak iSCSI
qemu-utils: qemu-io, an initiator that keeps a session
shellcheck: checks the shell scripts
tmux: the terminal that the console is tried in
xfsprogs: makes a file system for clone tests
xz-utils: unpacks the kernel of the virtual machine that has LIO
'
[ "$for" = demo ] || wanted=$wanted$wanted_by_tests

# Debian starts a daemon when its package is installed. A tgtd of ours must not
# take the host's iSCSI port, so no start is allowed while we install. The file
# names what is being installed, for the next of us should this one be killed.
policy=/usr/sbin/policy-rc.d
mark='# prerequisites.sh installs:'
unfinished=$(sed -n "s/^$mark//p" "$policy" 2>/dev/null || true)

missing=
while IFS=: read -r package why; do
	[ -n "$package" ] || continue
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$state" = installed ] && continue
	echo "prerequisites: installing $package:$why"
	missing="$missing $package"
done <<LIST
$wanted
LIST
[ -n "$missing$unfinished" ] || exit 0

if [ -n "$unfinished" ] || [ ! -e "$policy" ]; then
	printf '#!/bin/sh\n%s%s\nexit 101\n' "$mark" "$unfinished$missing" >"$policy"
	chmod 755 "$policy"
	trap 'rm -f "$policy"' EXIT
	trap 'exit 1' INT TERM HUP
fi

export DEBIAN_FRONTEND=noninteractive
install() {
	# An apt that outlived its caller is waited for.
	# shellcheck disable=SC2086 # a list of package names
	apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 $missing
}

# The lists of packages may be missing or name versions that are gone; and dpkg
# may have been killed in the middle of its work.
log=$(mktemp)
if ! { dpkg --configure -a && install; } >"$log" 2>&1 && ! { apt-get update && install; } >"$log" 2>&1; then
	cat "$log" >&2
	rm -f "$log"
	echo "prerequisites: could not install$missing" >&2
	exit 1
fi
rm -f "$log"

# Nor may the host's own tgtd take it at the next start of the machine, or an
# nginx port 80: whoever wants those had installed them already.
for daemon in tgt nginx; do
	case "$unfinished$missing " in
	*" $daemon "*)
		if command -v systemctl >/dev/null; then
			systemctl disable "$daemon" >/dev/null 2>&1 || true
		fi
		;;
	esac
done
