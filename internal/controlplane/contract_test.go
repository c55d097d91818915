package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"ipxe-all-ready/internal/api"
)

// contract is the OpenAPI document that every answer to every test of this
// package is held against; see site.call.
var contract = sync.OnceValues(func() (routers.Router, error) {
	text, err := api.ControlPlaneDocument()
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	closeObjects(tree)
	// Tests listen anywhere: the paths are what counts.
	delete(tree, "servers")
	if text, err = json.Marshal(tree); err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// closeObjects takes from the document the freedom that a client must grant,
// members that it does not know: what we answer has to be in the document.
func closeObjects(node any) {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			closeObjects(v)
		}
	case map[string]any:
		_, object := n["properties"].(map[string]any)
		if _, said := n["additionalProperties"]; object && !said && n["type"] == "object" {
			n["additionalProperties"] = false
		}
		for _, v := range n {
			closeObjects(v)
		}
	}
}

// breach says in what an answer, or the request that it accepted, is not as
// the document has it; nil when it is.
func breach(method, path, body string, header http.Header, a answer) error {
	router, err := contract()
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	route, params, err := router.FindRoute(req)
	if err != nil {
		return undocumented(a)
	}
	in := &openapi3filter.RequestValidationInput{
		Request: req, PathParams: params, Route: route, QueryParams: url.Values{},
		// A query is read more kindly than it is documented: bound=0, os=Ubuntu.
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
			IncludeResponseStatus: true, ExcludeRequestQueryParams: true},
	}
	if a.status < 400 {
		if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
			return fmt.Errorf("accepted, but the request is not as documented: %w", err)
		}
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: a.status, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), Options: in.Options,
	})
}

// undocumented is for paths that are none of ours.
func undocumented(a answer) error {
	var e api.Error
	err := json.Unmarshal(a.body, &e)
	if a.status < 400 || a.status >= 500 || err != nil || e.Detail == nil || e.Code == "" || e.RequestID == "" {
		return fmt.Errorf("the path is not documented, the answer is %s", a)
	}
	return nil
}

func TestTheContractNoticesWhatItDoesNotSay(t *testing.T) {
	header := http.Header{"Content-Type": {"application/json"}}
	good := `{"enabled":true,"source":"env"}`
	for _, c := range []struct {
		path   string
		status int
		body   string
		ok     bool
	}{
		{"/settings/auto-register", 200, good, true},
		{"/settings/auto-register", 200, `{"enabled":true,"source":"env","more":1}`, false},
		{"/settings/auto-register", 200, `{"enabled":true,"source":"rumour"}`, false},
		{"/settings/auto-register", 200, `{"enabled":true}`, false},
		{"/settings/auto-register", 418, good, false},
		{"/settings/auto-register", 401, `{"detail":"x","code":"x","request_id":"r"}`, true},
		{"/settings/auto-register", 401, `{"detail":{"error":"x"},"code":"x","request_id":"r"}`, false},
		{"/workers?x=1", 200, `[{"worker_id":"a"}]`, false},
		{"/nowhere", 200, good, false},
		{"/nowhere", 404, `{"detail":"x","code":"not_found","request_id":"r"}`, true},
	} {
		err := breach("GET", c.path, "", http.Header{}, answer{c.status, []byte(c.body), header})
		if (err == nil) != c.ok {
			t.Errorf("%s %d %s: %v", c.path, c.status, c.body, err)
		}
	}
}
