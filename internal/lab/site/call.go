package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"ipxe-all-ready/internal/lab"
)

// Call asks the control plane. Body is JSON text or nil; the answer is decoded
// into out unless that is nil. An answer from 400 up is an error.
func (s *Site) Call(method, path string, body any, out any) error {
	return call(s.CP, Address, "", method, path, body, out)
}

// Call asks the node's agent.
func (n *Node) Call(method, path string, body any, out any) error {
	return call(n.Host, netip.AddrPortFrom(n.Host.Addr, agentPort), n.token, method, path, body, out)
}

func call(from *lab.Host, to netip.AddrPort, token, method, path string, body, out any) error {
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	req, err := http.NewRequest(method, "http://"+to.String()+path, &b)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := from.HTTPClient(30 * time.Second).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, strings.TrimSpace(string(answer)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: %w in %s", method, path, err, answer)
	}
	return nil
}
