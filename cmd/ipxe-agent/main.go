// Command ipxe-agent is the executor of one storage node: it owns an image
// folder and drives the iSCSI server beside it. It is configured by IPXE_…
// variables in its environment.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"ipxe-all-ready/internal/agent"
	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/version"
)

func main() {
	showVersion := flag.Bool("version", false, "print the version and exit")
	check := flag.Bool("check", false, "look at settings, image folder, iSCSI server and port, say what is wrong and exit with 1 if anything is; nothing is changed")
	health := flag.Bool("health", false, "ask the daemon with these settings whether it answers, and exit with 1 if it does not")
	flag.Parse()
	if *showVersion {
		fmt.Println("ipxe-agent", version.String())
		return
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "ipxe-agent: %q is no option; it is configured by IPXE_… variables\n", flag.Arg(0))
		os.Exit(2)
	}
	if *check {
		if !agent.Check(context.Background(), os.Environ()).Print(os.Stdout, "ipxe-agent") {
			os.Exit(1)
		}
		return
	}
	o, err := agent.FromEnv(os.LookupEnv)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ipxe-agent: %v\n", err)
		os.Exit(config.Status(err))
	}
	if *health {
		if err := o.Alive(context.Background()); err != nil {
			fmt.Fprintf(os.Stderr, "ipxe-agent: %v\n", err)
			os.Exit(1)
		}
		return
	}
	if err := run(o); err != nil {
		fmt.Fprintf(os.Stderr, "ipxe-agent: %v\n", err)
		os.Exit(config.Status(err))
	}
}

func run(o agent.Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, err := agent.New(o, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	return a.Run(ctx)
}
