// Hello tells what a liovm guest is like, and exits with 7.
package main

import (
	"fmt"
	"net"
	"os"
)

func main() {
	fmt.Println("args", os.Args[1:], os.Getenv("GREETING"))
	for _, name := range []string{"/sys/kernel/config/target", "/mnt/disk/lost+found"} {
		_, err := os.Stat(name)
		fmt.Println(name, err)
	}
	cards, err := net.InterfaceAddrs()
	fmt.Println(cards, err)
	os.Exit(7)
}
