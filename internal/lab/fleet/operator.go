package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// operator is the people at the consoles: their windows poll, and they make
// disks for machines that have a name and delete them again.
type operator struct {
	made   []madeDisk // that stand, the oldest first
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
	// A node's trouble is passed on with its name; 503 is also a ledger that is broken by hand.
	if resp.StatusCode >= 500 && resp.StatusCode != http.StatusServiceUnavailable && !bytes.Contains(body, []byte(`"agent":`)) {
		o.tally.Fault(fmt.Sprintf("%s %s: status %d", method, path, resp.StatusCode), string(body))
	}
	if method == "DELETE" {
		path = "a disk"
	}
	o.tally.Note(fmt.Sprintf("%s %s: %d", method, path, resp.StatusCode))
	return resp, body, nil
}
