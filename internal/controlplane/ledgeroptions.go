package controlplane

import (
	"context"
	"log/slog"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/metrics"
)

// ledgerOptions tells the ledger its files and how dnsmasq hears of bindings.
func (cp *ControlPlane) ledgerOptions(o Options) ledger.Options {
	return ledger.Options{
		WorkersFile: o.Files.Workers, AgentsFile: o.Files.Agents, SettingsFile: o.Files.Settings,
		HostsFile: o.Files.Hosts, BootsFile: o.Files.Boots, JournalFile: o.Files.Journal,
		Reload: reloader(o.Reload), OnReload: reloadRecorder(cp.log, cp.audit, cp.metrics),
		OnCommit: cp.metrics.Commit, OnChange: cp.ledgerChanged, May: cp.lock.Held,
		Getenv: o.Getenv, DefaultArch: o.DefaultArch.String(), Log: cp.log, Now: o.Now,
	}
}

func reloader(r Reload) dhcphosts.Reloader {
	switch r.Mode {
	case "pidfile":
		return dhcphosts.PIDFile(r.PIDFile)
	case "container":
		return dhcphosts.Container(dhcphosts.DockerSocket, r.Container)
	}
	return nil
}

// reloadRecorder enters reloads in the trail: a machine without a host name is
// most often a dnsmasq that did not hear. Of a dnsmasq that stays away only the
// first failure is entered, and the success that ends it: it is tried again
// every minute, and nothing may take lines off the trail.
func reloadRecorder(log *slog.Logger, trail *audit.Log, m *metrics.Metrics) func(error) {
	away := false // the calls come one after the other
	return func(err error) {
		m.Reload(err)
		if err != nil {
			log.Warn("dnsmasq was not reloaded; it is tried again", "error", err)
		}
		known := err != nil && away
		away = err != nil
		if known {
			return
		}
		if failed := recordReload(trail, err); failed != nil {
			log.Error("the audit trail could not be written", "op", audit.OpDNSMasqReload, "error", failed)
		}
	}
}

func recordReload(trail *audit.Log, err error) error {
	ctx := context.Background()
	if err == nil {
		return trail.Once(ctx, audit.OpDNSMasqReload, audit.Fields{})
	}
	span, failed := trail.Start(ctx, audit.OpDNSMasqReload, audit.Fields{})
	if failed != nil {
		return failed
	}
	return span.Fail(ctx, err, audit.Fields{})
}
