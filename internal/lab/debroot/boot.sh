#!/bin/sh
# Boots systemd on a throw-away copy of a Debian root: boot.sh BASE, as the first
# process of new mount, PID, network, UTS, IPC and control group namespaces.
set -eu
base=$1
mount --make-rprivate /
work=$(mktemp -d) # seen here alone once a tmpfs is over it
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/work" overlay "$work/root"
root=$work/root

mount -t proc proc "$root/proc"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
	: >"$root/dev/$node"
	mount --bind "/dev/$node" "$root/dev/$node"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"

# Control groups as this host has them; the namespace shows our part alone.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
	mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
	mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
	mkdir "$root/sys/fs/cgroup/systemd"
	mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
fi
exec env -i container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" /lib/systemd/systemd --system --log-target=journal-or-kmsg --show-status=0
