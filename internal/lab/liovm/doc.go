// Package liovm boots a virtual machine whose kernel has the iSCSI target LIO,
// which a developer's own kernel may lack, and runs one static program in it:
// Debian's generic kernel, an initramfs of its modules and one Go program as
// init, under QEMU without hardware help.
//
// It owns the kernel's cache (.cache/liovm of the checkout) and the machine. The
// network it is plugged into, and the end of everything, are the lab's.
package liovm
