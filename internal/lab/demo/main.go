// Command demo runs the product in a lab on this host: a control plane, two
// storage nodes and one virtual machine without a disk, cut off from every real
// network but for two ports on the loopback address.
//
//	go run ./internal/lab/demo up        start it and say what to try
//	go run ./internal/lab/demo console   the machine's screen and keyboard
//	go run ./internal/lab/demo reset     press the machine's reset button
//	go run ./internal/lab/demo down      end it and leave nothing behind
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func() error{
		"up": up, "down": down, "console": console, "reset": reset,
		"serve": serve, // the part of up that stays
	}
	if len(os.Args) != 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: demo up|console|reset|down")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
