package lab

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// MonitorOrder gives QEMU's monitor one order and waits for the prompt that
// follows it:
//
//	QEMU 7.2.22 monitor - type 'help' for more information
//	(qemu) sendkey u
//	(qemu)
func MonitorOrder(socket, order string) error {
	conn, err := net.DialTimeout("unix", socket, Patience)
	if err != nil {
		return fmt.Errorf("order QEMU to %s: %w", order, err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		return fmt.Errorf("order QEMU to %s: %w", order, err)
	}
	if _, err := fmt.Fprintln(conn, order); err != nil {
		return fmt.Errorf("order QEMU to %s: %w", order, err)
	}
	// The monitor echoes the order among control codes, so count the prompts:
	// one stands before it and one after.
	var seen strings.Builder
	buf := make([]byte, 512)
	for strings.Count(seen.String(), "(qemu) ") < 2 {
		n, err := conn.Read(buf)
		if err != nil {
			return fmt.Errorf("order QEMU to %s: %w", order, err)
		}
		seen.Write(buf[:n])
	}
	return nil
}
