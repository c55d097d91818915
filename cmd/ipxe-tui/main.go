// Command ipxe-tui is the terminal console of the control plane.
package main

import (
	"os"

	"ipxe-all-ready/tui"
)

func main() { os.Exit(tui.Main(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }
