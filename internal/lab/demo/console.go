package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/lab"
)

const leave = 0x1d // Ctrl-]

// console joins this terminal to the machine's screen and keyboard.
func console() error {
	s, err := running()
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", filepath.Join(s.Lab, machine+".console"))
	if err != nil {
		return fmt.Errorf("open console: %w", err)
	}
	defer conn.Close()
	fmt.Println("The screen of " + machine + "; Ctrl-] leaves it.")
	restore, err := raw(int(os.Stdin.Fd()))
	if err != nil {
		_, err := io.Copy(os.Stdout, conn) // no terminal: there are no keys to pass on
		return err
	}
	defer restore()
	ended := make(chan error, 2)
	go func() { _, err := io.Copy(os.Stdout, conn); ended <- err }()
	go func() { ended <- typing(conn) }()
	err = <-ended
	// The machine's firmware switches line wrap and cursor off.
	fmt.Print("\x1b[0m\x1b[?7h\x1b[?25h\r\n")
	return err
}

// typing passes keys on until Ctrl-].
func typing(conn net.Conn) error {
	buf := make([]byte, 64)
	for {
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return err
		}
		keys, _, quit := bytes.Cut(buf[:n], []byte{leave})
		if _, err := conn.Write(keys); err != nil || quit {
			return err
		}
	}
}

// raw makes the terminal pass every key at once and unchanged.
func raw(fd int) (restore func(), err error) {
	old, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	t := *old
	t.Iflag &^= unix.ICRNL | unix.IXON | unix.BRKINT | unix.ISTRIP
	t.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &t); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, old) }, nil
}

// reset presses the machine's reset button: it starts over and asks again.
func reset() error {
	s, err := running()
	if err != nil {
		return err
	}
	return lab.MonitorOrder(filepath.Join(s.Lab, machine+".monitor"), "system_reset")
}
