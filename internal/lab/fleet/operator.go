package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"ipxe-all-ready/internal/api"
)

// operator is the people at the consoles: their windows poll, and they make
// disks for machines that have a name.
type operator struct {
	url    string
	tally  *Tally
	nodes  []*Storage
	names  func() map[string]string
	client *http.Client
}

// poll is a console on the list of workers and that of the nodes.
func (o *operator) poll(ctx context.Context) {
	etag := ""
	for turn := 0; pause(ctx, around(2*time.Second)); turn++ {
		if resp, _, err := o.call(ctx, "GET", "/workers", nil, etag); err == nil {
			etag = resp.Header.Get("ETag")
		}
		if turn%3 == 0 {
			_, _, _ = o.call(ctx, "GET", "/agents", nil, "") // counted
		}
	}
}

// makeDisks asks for a batch of disks now and then.
func (o *operator) makeDisks(ctx context.Context) {
	for pause(ctx, around(3*time.Second)) {
		in := api.CreateDisks{Type: "empty", OS: []string{"debian", "centos"}[rand.IntN(2)], Size: "10G"}
		names := slices.Collect(maps.Values(o.names()))
		for range min(20, len(names)) {
			in.Targets = append(in.Targets, api.BatchTarget{
				WorkerID: names[rand.IntN(len(names))], Agent: o.nodes[rand.IntN(len(o.nodes))].ID,
			})
		}
		if len(in.Targets) == 0 {
			continue
		}
		_, body, err := o.call(ctx, "POST", "/workers/luns/disk/batch", in, "")
		var out api.DisksCreated
		if err != nil || json.Unmarshal(body, &out) != nil {
			continue
		}
		for range out.Succeeded {
			o.tally.Note("disks made")
		}
		for range out.Failed {
			o.tally.Note("disks that failed at a node or for a broken ledger")
		}
	}
}

// call asks as a console does and counts time and status. Reads carry etag
// unless it is "".
func (o *operator) call(ctx context.Context, method, path string, in any, etag string) (*http.Response, []byte, error) {
	var content bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&content).Encode(in); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, o.url+path, &content)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	start := time.Now()
	resp, err := o.client.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			o.tally.Fault("a console without an answer", err.Error())
		}
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, err
	}
	if method == "GET" && path == "/workers" {
		o.tally.Console.Add(time.Since(start))
	}
	if resp.StatusCode >= 500 && resp.StatusCode != http.StatusServiceUnavailable {
		o.tally.Fault(fmt.Sprintf("%s %s: status %d", method, path, resp.StatusCode), string(body))
	}
	o.tally.Note(fmt.Sprintf("%s %s: %d", method, path, resp.StatusCode))
	return resp, body, nil
}
