#!/bin/sh
# Puts the built programs (in bin/, or $BIN) and what belongs to them in their
# places, or takes it away again: install.sh install|uninstall DESTDIR PREFIX SYSCONFDIR.
# A settings file that is there already is never overwritten: a newer one is put
# beside it as FILE.new. Ledgers, tokens and images are never touched.
set -eu
cd "$(dirname "$0")/.."
what=$1 dest=$2 prefix=$3 sysconf=$4
conf=$sysconf/ipxe-all-ready
doc=$prefix/share/doc/ipxe-all-ready
share=$prefix/share/ipxe-all-ready

# filled is a file with the places of this installation in it.
filled() {
	sed -e "s|@bindir@|$prefix/bin|g" -e "s|@sysconfdir@|$sysconf|g" -e "s|@docdir@|$doc|g" \
		-e 's|/srv/ipxe-all-ready/dnsmasq/|/var/lib/ipxe-all-ready/dnsmasq/|' \
		-e "s|/srv/ipxe-all-ready/tftp|$conf/tftp|" -e "s|/srv/ipxe-all-ready/console|$share/web|" \
		-e 's|/srv/ipxe-all-ready/public|/var/lib/ipxe-all-ready/public|' \
		-e 's|/run/ipxe-all-ready-dnsmasq.pid|/run/ipxe-dnsmasq/dnsmasq.pid|' \
		-e 's|/var/lib/misc/ipxe-all-ready.leases|/var/lib/ipxe-dnsmasq/leases|' "$1"
}

# put MODE SOURCE TARGET: of ours; it follows the release.
put() {
	if [ "$what" = uninstall ]; then
		rm -f "$dest$3"
		return
	fi
	mkdir -p "$dest${3%/*}"
	install -m "$1" "$2" "$dest$3"
}

# text SOURCE TARGET: the same, with the places in it.
text() {
	filled "$1" >"$tmp"
	put 644 "$tmp" "$2"
}

# page SOURCE TARGET: documentation, whose links lead to what is installed too; what
# the source alone has is named without a link.
page() {
	sed -e 's|](docs/|](|g' -e 's|](\.\./deploy/public/|](../../ipxe-all-ready/public/|g' \
		-e 's#\[\([^]]*\)\](\(web/README\|CONTRIBUTING\)\.md)#\1#g' "$1" >"$tmp"
	put 644 "$tmp" "$2"
}

# setting SOURCE TARGET: a person's from now on.
setting() {
	filled "$1" >"$tmp"
	target=$dest$2
	if [ "$what" = uninstall ]; then
		rm -f "$target.new"
		if [ -e "$target" ]; then
			if cmp -s "$tmp" "$target"; then rm -f "$target"; else echo "kept, as it was edited: $target"; fi
		fi
	elif [ -e "$target" ] && ! cmp -s "$tmp" "$target"; then
		put 644 "$tmp" "$2.new"
		echo "kept as it is: $target; this release's is beside it as .new"
	else
		put 644 "$tmp" "$2"
	fi
}

# each FUNCTION FOLDER TARGET: every file below FOLDER.
each() {
	[ -d "$2" ] || return 0
	find "$2" -type f ! -name '*.go' | sort | while read -r file; do
		target=$3/${file#"$2"/}
		case $1 in
		put) put 644 "$file" "$target" ;;
		text) text "$file" "$target" ;;
		page) page "$file" "$target" ;;
		setting) setting "$file" "$target" ;;
		esac
	done
}

tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT

for program in ipxe-cp ipxe-agent ipxe-tui; do
	put 755 "${BIN:-bin}/$program" "$prefix/bin/$program"
done
for unit in deploy/systemd/*.service; do
	text "$unit" "$prefix/lib/systemd/system/${unit##*/}"
done
text deploy/systemd/ipxe-cp.sysusers "$prefix/lib/sysusers.d/ipxe-cp.conf"
text deploy/systemd/ipxe-cp.tmpfiles "$prefix/lib/tmpfiles.d/ipxe-cp.conf"
text deploy/systemd/ipxe-agent.service.d/lio.conf "$share/systemd/lio.conf"

setting deploy/systemd/ipxe-cp.env "$conf/ipxe-cp.env"
setting deploy/systemd/ipxe-agent.env "$conf/ipxe-agent.env"
setting deploy/systemd/ipxe-agent.logrotate "$sysconf/logrotate.d/ipxe-agent"
setting deploy/dnsmasq/dnsmasq.conf "$conf/dnsmasq.conf"
each setting deploy/tftp "$conf/tftp"

# The browser console, where it was built, and what nginx is given for it.
each put web/dist "$share/web"
each text deploy/nginx "$share/nginx"
each put deploy/public "$share/public"

each page docs "$doc"
page README.md "$doc/README.md"
page CHANGELOG.md "$doc/CHANGELOG.md"

# iPXE itself is Debian's; dnsmasq's TFTP follows the links.
for loader in undionly.kpxe snponly.efi; do
	link=$dest$conf/tftp/$loader
	if [ "$what" = install ]; then
		[ -e "$link" ] || [ -L "$link" ] || ln -s "/usr/lib/ipxe/$loader" "$link"
	elif [ -L "$link" ]; then
		rm -f "$link"
	fi
done

if [ "$what" = uninstall ]; then
	for dir in "$share" "$doc" "$conf"; do # ours, where they are empty by now
		[ ! -d "$dest$dir" ] || find "$dest$dir" -depth -type d -empty -delete
	done
	exit 0
fi

[ -z "$dest" ] || exit 0
# token NAME PROGRAM: the line that makes one, as the packages do.
token() {
	echo "(umask 077; echo \"$1=\$(od -An -N 24 -tx1 /dev/urandom | tr -dc 0-9a-f)\" >$conf/$2.token.env)"
}
cat <<END
Installed. Then, on the control plane:
  systemd-sysusers; systemd-tmpfiles --create; systemctl daemon-reload
  $(token IPXE_CP_TOKEN ipxe-cp)
  edit $conf/ipxe-cp.env and $conf/dnsmasq.conf
  systemctl enable --now ipxe-cp ipxe-dnsmasq
for its browser console, where web/dist was built (make web):
  ln -sfn $share/nginx/ipxe-all-ready /etc/nginx/ipxe-all-ready
  cp $share/nginx/conf.d/ipxe-all-ready.conf /etc/nginx/conf.d/
  cp -r $share/public /var/lib/ipxe-all-ready/
  systemctl restart nginx
and on a storage node:
  systemctl disable --now tgt; systemctl daemon-reload
  $(token IPXE_AGENT_TOKEN ipxe-agent)
  edit $conf/ipxe-agent.env
  systemctl enable --now ipxe-agent
END
