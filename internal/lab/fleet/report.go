package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"ipxe-all-ready/internal/api"
)

// compare holds what the machines were told against what the control plane
// knows at the end.
func (f *Fleet) compare(ctx context.Context) error {
	last, err := ReadSample(ctx, f.client, f.URL)
	if err != nil {
		return err
	}
	f.Samples = append(f.Samples, last)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL+"/workers", nil)
	if err != nil {
		return err
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var workers []api.Worker
	if err := json.NewDecoder(resp.Body).Decode(&workers); err != nil {
		return fmt.Errorf("GET /workers: %s: %w", resp.Status, err)
	}
	bound, hosts := map[string]string{}, map[string]bool{}
	for _, w := range workers {
		if hosts[w.Hostname] {
			f.Tally.Fault("a name that is in the ledger twice", w.Hostname)
		}
		hosts[w.Hostname] = true
		if w.MAC == nil {
			f.Tally.Fault("a worker without a binding", w.Hostname)
			continue
		}
		bound[*w.MAC] = w.Hostname
	}
	for mac, name := range f.Names() {
		if bound[mac] != name {
			f.Tally.Fault("a name that the ledger does not have", fmt.Sprintf("%s was told %s and is %q", mac, name, bound[mac]))
		}
	}
	return nil
}

// Peak is the highest of each, over the run.
func (f *Fleet) Peak() (p Sample) {
	for _, s := range f.Samples {
		p.Resident, p.Goroutines, p.Files = max(p.Resident, s.Resident), max(p.Goroutines, s.Goroutines), max(p.Files, s.Files)
	}
	return p
}

func (f *Fleet) report(w io.Writer) {
	f.Tally.Print(w)
	last, peak := f.Samples[len(f.Samples)-1], f.Peak()
	fmt.Fprintf(w, "%d registrations and %d other changes in %d commits, %d reloads of dnsmasq (it saw %d), %.1f s of CPU\n",
		last.Registered, last.Changes-last.Registered, last.Commits, last.Reloads, f.DHCP.Reloads(), last.CPU.Seconds())
	fmt.Fprintf(w, "at most %.1f MiB resident, %d goroutines, %d open files; in the end %.1f MiB, %d, %d\n",
		float64(peak.Resident)/(1<<20), peak.Goroutines, peak.Files, float64(last.Resident)/(1<<20), last.Goroutines, last.Files)
}
