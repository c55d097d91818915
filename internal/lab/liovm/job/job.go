// Package job is what a guest is told to do and what it tells back: files in a
// folder that host and guest share.
package job

// Names in the shared folder. The guest sees it as Folder.
const (
	Folder  = "/job"
	Tag     = "job" // of the 9p export
	File    = "job.json"
	Program = "program" // the static binary
	Output  = "output"  // what the program prints
	Booted  = "booted"  // made before the program starts
	Status  = "status"  // its exit status, in decimal
)

// Modules is the folder of the initramfs with the kernel modules, and with
// ModuleOrder, their names in the order to load them.
const (
	Modules     = "/modules"
	ModuleOrder = "order"
)

// Job is one run of the program.
type Job struct {
	Args    []string
	Env     []string
	Address string   // of eth0, as 192.168.80.5/24; empty: no network but lo
	Mounts  []string // where the n-th virtio disk is mounted, as ext4
}
