// Command bare tries README's first command where nothing was prepared: on a
// Debian machine, made by debootstrap, that has git and make, and this host's Go
// and Node, and nothing else. What it writes is thrown away.
//
//	go run ./internal/lab/bare bookworm         make demo, looked at, and make demo-down
//	go run ./internal/lab/bare trixie test      make test; any other targets likewise
//	go run ./internal/lab/bare -kill 10,60 trixie  make demo, after two that were killed
//
// It takes the commit that is checked out, not what was edited since.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	within := flag.Duration("within", 5*time.Minute, "the most that the first make demo may take")
	kill := flag.String("kill", "", "seconds, with commas: make demo is killed so long after its start, before the one that counts")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: bare [-within 5m] [-kill 10,60] bookworm|trixie [target...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	command := append([]string{"make"}, flag.Args()[1:]...)
	if len(command) == 1 {
		command = []string{"sh", "internal/lab/bare/demo.sh", fmt.Sprint(int(within.Seconds()))}
		command = append(command, strings.FieldsFunc(*kill, func(r rune) bool { return r == ',' })...)
	}
	if err := try(ctx, flag.Arg(0), command); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func try(ctx context.Context, suite string, command []string) (err error) {
	if os.Geteuid() != 0 {
		return errors.New("a machine of Debian's packages needs root")
	}
	m, err := build(ctx, suite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.remove()) }()
	return m.run(ctx, command...)
}
