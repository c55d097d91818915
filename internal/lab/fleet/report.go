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
	f.compareDisks(workers)
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
	fmt.Fprintf(w, "at most %s resident, %d goroutines, %d open files\n", mebibytes(peak.Resident), peak.Goroutines, peak.Files)
	for _, at := range []struct {
		when string
		s    Sample
	}{{"idle before", f.Before}, {"idle again", f.After}} {
		fmt.Fprintf(w, "%-12s %s resident, %s live, %d goroutines, %d open files\n", at.when+":",
			mebibytes(at.s.Resident), mebibytes(at.s.Live), at.s.Goroutines, at.s.Files)
	}
	if second, last := f.thirds(); second.Live > 0 {
		fmt.Fprintf(w, "load held, medians of the second and last third: %s and %s resident, %s and %s live\n",
			mebibytes(second.Resident), mebibytes(last.Resident), mebibytes(second.Live), mebibytes(last.Live))
	}
}

// compareDisks looks for disks that the operator was told of and the ledger does
// not have. A person who saves an old copy of the ledger may lose one.
func (f *Fleet) compareDisks(workers []api.Worker) {
	has := map[madeDisk]bool{}
	for _, w := range workers {
		for _, d := range w.Disks {
			has[madeDisk{w.WorkerID, d.OS}] = true
		}
	}
	for _, d := range f.operator.made {
		switch {
		case has[d]:
		case f.o.Edit:
			f.Tally.Note("disks that an edit by hand took out of the ledger")
		default:
			f.Tally.Fault("a disk that the ledger does not have", d.worker+" "+d.os)
		}
	}
}
