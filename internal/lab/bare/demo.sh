#!/bin/sh
# What README promises of make demo, tried on the machine that it runs on:
# demo.sh MOST [AFTER...]: it may take MOST seconds. Before that it is killed with all
# that it started, each time so many seconds AFTER its start.
set -eu
most=$1
shift
said=$(mktemp)

fail() {
	echo "bare: $*" >&2
	make demo-down >&2 || true
	exit 1
}

says() { grep -q "$1" "$said" || fail "make demo does not say: $1"; }

for after in "$@"; do
	setsid make demo >"$said" 2>&1 &
	make=$!
	sleep "$after"
	kill -KILL "-$make" || fail "make demo ended within $after s"
	wait "$make" || true
	echo "bare: make demo was killed after $after s, when it last said: $(tail -n 1 "$said")"
done

start=$(date +%s)
make demo >"$said" 2>&1 || { cat "$said"; fail "make demo failed"; }
took=$(($(date +%s) - start))
cat "$said"
echo "bare: make demo took $took s; user and system time of all it ran:"
times >"$said.times" # of a pipe it would be the pipe's own
tail -n 1 "$said.times"
says 'has booted'

web=$(sed -n 's|^ *\(http://127.0.0.1:[0-9]*\)/$|\1|p' "$said" | head -n 1)
[ -n "$web" ] || fail "make demo names no browser console"
curl -sSf "$web/" | grep -q '<script type="module"' || fail "$web/ is not the built console"
scripts=$(curl -sSf "$web/" | grep -o '/assets/[^"]*\.js')
for script in $scripts; do curl -sSf "$web$script" || fail "the console's $script is not served"; done >"$said.js"
[ "$(wc -c <"$said.js")" -gt 10000 ] || fail "the console's scripts are empty: $scripts"
curl -sSf "$web/api/cp/version" >/dev/null || fail "the control plane does not answer through $web"
curl -sSf "$web/api/cp/workers" | grep -q '"worker_id":"worker-01"' || fail "the machine is not registered"
grep -aq GUEST .demo/lab/worker-01.guest || fail "the machine's disk said nothing"

cp=$(sed -n 's|.*ipxe-tui --url \(http://[0-9.:]*\).*|\1|p' "$said" | head -n 1)
[ -n "$cp" ] || fail "make demo names no terminal console"
# A terminal that somebody looks at for a while and closes.
sleep 30 | TERM=xterm script -qec "stty rows 24 cols 80; exec timeout 30 bin/ipxe-tui --url $cp" "$said.tui" >/dev/null || true
grep -aq Workers "$said.tui" || { cat "$said.tui"; fail "the terminal console shows nothing"; }

make demo >"$said" 2>&1 || fail "the second make demo failed"
says 'The demo is up already'

make demo-down >"$said" 2>&1 || { cat "$said"; fail "make demo-down failed"; }
for left in .demo /run/netns/* /tmp/ipxelab-* /usr/sbin/policy-rc.d; do
	[ ! -e "$left" ] || fail "make demo-down left $left"
done
for program in ipxe-cp ipxe-agent tgtd dnsmasq nginx qemu-system; do
	for comm in /proc/[0-9]*/comm; do
		case $(cat "$comm" 2>/dev/null) in "$program"*) fail "make demo-down left a $program" ;; esac
	done
done
[ "$took" -le "$most" ] || { echo "bare: make demo took $took s, more than $most" >&2; exit 1; }
echo "bare: all is as README promises"
