package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/secretfile"
	"ipxe-all-ready/internal/version"
	"ipxe-all-ready/tui/theme"
)

// callTimeout is how long a call may take that makes no disk.
const callTimeout = 20 * time.Second

// connectTimeout is how long connecting may take, TLS included.
const connectTimeout = 5 * time.Second

// Main is the program: its exit status is what it returns.
func Main(args []string, env func(string) string, out, errOut io.Writer) int {
	s, err := ReadSettings(args, env, out)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(errOut, "ipxe-tui: %v\n", err)
		return 2
	}
	if s.ShowVersion {
		fmt.Fprintln(out, "ipxe-tui", version.String())
		return 0
	}
	if s.Doubt != "" { // it stands there again when the screen is given back
		fmt.Fprintf(errOut, "ipxe-tui: %s; %s\n", s.Doubt, secretfile.Remedy)
	}
	if err := run(s, env); err != nil {
		fmt.Fprintf(errOut, "ipxe-tui: %v\n", err)
		return 1
	}
	return 0
}

// terminal is what the terminal can do: NO_COLOR and TERM say whether it has
// colours, the terminal itself whether its background is dark.
func terminal(env func(string) string) theme.Options {
	colour := env("NO_COLOR") == "" && env("TERM") != "dumb" && env("TERM") != "vt100"
	return theme.Options{Colour: colour, Dark: lipgloss.HasDarkBackground()}
}

func run(s Settings, env func(string) string) error {
	trust, err := certs.NewClient(s.CA, "", "", slog.New(slog.DiscardHandler)) // the terminal is the console's
	if err != nil {
		return err
	}
	cp := client.NewControlPlane(client.ControlPlaneOptions{
		BaseURL: s.URL, Token: s.Token, Timeout: callTimeout, HTTP: client.NewHTTPS(connectTimeout, trust.Config),
	})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	stream := make(chan StreamMsg, 256)
	go Watch(ctx, cp, stream)

	m := New(Options{Client: cp, URL: s.URL, Theme: terminal(env), Lang: s.Lang, Stream: stream})
	p := tea.NewProgram(m, tea.WithAltScreen())
	go hangUp(ctx, p)
	_, err = p.Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}

// hangUp ends the program when its terminal goes; SIGINT and SIGTERM the
// library hears of by itself. SIGQUIT is for a program that hangs: it does not
// wait for the update loop, and dies of it with the usual dump on a terminal
// that shows it.
func hangUp(ctx context.Context, p *tea.Program) {
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(gone)
	select {
	case s := <-gone:
		if s == syscall.SIGQUIT {
			_ = p.ReleaseTerminal() // there is no other way left
			signal.Reset(syscall.SIGQUIT)
			_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
			return
		}
		p.Quit()
	case <-ctx.Done():
	}
}
