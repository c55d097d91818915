// Command ipxe-cp is the control plane: it registers machines, keeps the
// ledgers and tells each machine what to boot. It is configured by IPXE_CP_…
// variables in its environment.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/controlplane"
	"ipxe-all-ready/internal/version"
)

func main() {
	showVersion := flag.Bool("version", false, "print the version and exit")
	check := flag.Bool("check", false, "look at settings, ledgers, dnsmasq and ports, say what is wrong and exit with 1 if anything is; nothing is changed")
	health := flag.Bool("health", false, "ask the daemon with these settings whether it answers, and exit with 1 if it does not")
	flag.Parse()
	if *showVersion {
		fmt.Println("ipxe-cp", version.String())
		return
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "ipxe-cp: %q is no option; it is configured by IPXE_CP_… variables\n", flag.Arg(0))
		os.Exit(2)
	}
	if *check {
		if !controlplane.Check(context.Background(), os.Environ()).Print(os.Stdout, "ipxe-cp") {
			os.Exit(1)
		}
		return
	}
	o, err := controlplane.FromEnv(os.LookupEnv)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ipxe-cp: %v\n", err)
		os.Exit(config.Status(err))
	}
	if *health {
		if err := o.Alive(context.Background()); err != nil {
			fmt.Fprintf(os.Stderr, "ipxe-cp: %v\n", err)
			os.Exit(1)
		}
		return
	}
	if err := run(o); err != nil {
		fmt.Fprintf(os.Stderr, "ipxe-cp: %v\n", err)
		os.Exit(config.Status(err))
	}
}

// headroom is memory that is never touched and so takes none. The collector
// counts it as in use, and lets so many more bytes of garbage come together:
// beside a ledger of a few megabytes it would else run at every thousandth boot.
const headroom = 16 << 20

func run(o controlplane.Options) error {
	defer runtime.KeepAlive(make([]byte, headroom))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: o.LogLevel}))
	cp, err := controlplane.Start(ctx, o, log)
	if err != nil || cp == nil {
		return err
	}
	return cp.Run(ctx)
}
