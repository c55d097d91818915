package lab

import (
	"fmt"
	"net"
	"strings"
)

// Firmware is what a machine starts with.
type Firmware int

// The firmwares of the virtual machines.
const (
	BIOS Firmware = iota // SeaBIOS, and iPXE from the network card
	UEFI                 // OVMF with its own PXE, which has to load iPXE first
)

func (f Firmware) String() string { return [...]string{"BIOS", "UEFI"}[f] }

// Machine is a diskless computer on the lab's switch. Screen is what its
// display shows (and its first serial line carries), Guest what the system on
// its disk says on the second serial line.
type Machine struct {
	Name     string
	MAC      string
	Firmware Firmware
	Screen   *Log
	Guest    *Log
	// OtherMAC is that of a card which comes first and has no cable; none when empty.
	OtherMAC string

	lab  *Lab
	tap  string
	proc *Process
}

// AddMachine plugs a machine into the switch, switched off.
func (l *Lab) AddMachine(name, mac string, fw Firmware) (*Machine, error) {
	if err := need(machineParts(fw)...); err != nil {
		return nil, err
	}
	tap, err := l.addTap()
	if err != nil {
		return nil, err
	}
	m := &Machine{Name: name, MAC: mac, Firmware: fw, lab: l, tap: tap}
	m.Screen = OpenLog(m.file("screen"))
	m.Screen.width = 80
	m.Guest = OpenLog(m.file("guest"))
	return m, nil
}

func machineParts(fw Firmware) []string {
	if fw == UEFI {
		return []string{"qemu-system-x86_64", ovmfCode, ovmfVars, snponly}
	}
	return []string{"qemu-system-x86_64", seaBIOS, nicROM}
}

func (m *Machine) file(kind string) string { return m.lab.Path(m.Name + "." + kind) }

// PowerOn switches the machine on, off before if need be. What it shows from
// now on is not mixed with what it showed before.
func (m *Machine) PowerOn() error {
	if err := m.PowerOff(); err != nil {
		return err
	}
	m.Screen.Skip()
	m.Guest.Skip()
	args := []string{
		"-name", m.Name, "-uuid", m.UUID(), "-display", "none", "-nodefaults", "-vga", "std",
		"-netdev", "tap,id=net,ifname=" + m.tap + ",script=no,downscript=no",
		"-chardev", "socket,id=screen,path=" + m.ConsoleSocket() + ",server=on,wait=off,logappend=on,logfile=" + m.file("screen"),
		"-serial", "chardev:screen",
		"-chardev", "file,id=guest,append=on,path=" + m.file("guest"),
		"-serial", "chardev:guest",
		"-monitor", "unix:" + m.MonitorSocket() + ",server=on,wait=off",
	}
	if m.OtherMAC != "" {
		args = append(args, "-device", "virtio-net-pci,mac="+m.OtherMAC)
	}
	switch m.Firmware {
	case BIOS:
		// Without graphics SeaBIOS copies the text screen to the first serial line.
		args = append(args, "-M", "pc,accel=tcg,graphics=off", "-m", "128",
			"-device", "virtio-net-pci,netdev=net,bootindex=1,mac="+m.MAC)
	case UEFI:
		vars := m.file("nvram")
		if err := copyFile(vars, ovmfVars); err != nil {
			return fmt.Errorf("switch on %s: %w", m.Name, err)
		}
		args = append(args, "-M", "q35,accel=tcg", "-m", "256",
			"-drive", "if=pflash,format=raw,unit=0,readonly=on,file="+ovmfCode,
			"-drive", "if=pflash,format=raw,unit=1,file="+vars,
			"-device", "virtio-net-pci,netdev=net,bootindex=1,romfile=,mac="+m.MAC)
	}
	var err error
	if m.proc, err = m.lab.sw.Start(m.Name, nil, "qemu-system-x86_64", args...); err != nil {
		return err
	}
	return Poll(Patience, func() error {
		conn, err := net.Dial("unix", m.MonitorSocket())
		if err != nil {
			return fmt.Errorf("switch on %s: %w; %s", m.Name, err, m.proc.Log.Tail(5))
		}
		return conn.Close()
	})
}

// PowerOff switches the machine off without asking its system.
func (m *Machine) PowerOff() error {
	if m.proc == nil {
		return nil
	}
	return m.proc.Kill()
}

// UUID is the machine's own, as its firmware tells it.
func (m *Machine) UUID() string {
	return "4c5a1f0e-33a6-4b29-9d53-0d00" + strings.ReplaceAll(m.MAC, ":", "")[4:]
}

// MonitorSocket is a Unix socket that takes QEMU's orders.
func (m *Machine) MonitorSocket() string { return m.file("monitor") }

// ConsoleSocket is a Unix socket that shows the screen and takes keys.
func (m *Machine) ConsoleSocket() string { return m.file("console") }

// Press types keys by their QEMU names: "u", "down", "ret", "ctrl-b".
func (m *Machine) Press(keys ...string) error {
	for _, key := range keys {
		if err := MonitorOrder(m.MonitorSocket(), "sendkey "+key); err != nil {
			return fmt.Errorf("press %s on %s: %w", key, m.Name, err)
		}
	}
	return nil
}
