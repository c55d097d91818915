package httpapi

import (
	"net/http"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/iscsi"
)

// FuzzQueries holds that any query string is refused in a sentence or read as
// what lies within its bounds. The readers are called, not the server: that
// would mostly fuzz what is below it.
func FuzzQueries(f *testing.F) {
	for _, q := range []string{
		"", "q=52-54-00-00-00-01&state=ready&os=ubuntu&agent=st1&bound=true&limit=100&cursor=pc-01", "state=READY&bound=0", "limit=0", "limit=10001&cursor=..",
		"since=1&before=9&limit=1000&tail=3&op=worker.create&status=failed&worker_id=pc-01", "since=-1", "before=9223372036854775808", "tail=1e3",
		"live=false", "live=maybe&live=true", "delete_file=true&ignore_missing_target=1&force=yes", "iqn=iqn.2026-07.com.c:w&delete_file=true",
		"q=%00%ff%1b[2J", "a;b=c&%zz=1", "q=a&q=b", "limit=%2b7", "cursor=%E6%9C%BA",
	} {
		f.Add(q)
	}
	gin.SetMode(gin.ReleaseMode) // or it talks at every start
	engine := gin.New()
	f.Fuzz(func(t *testing.T, query string) {
		c := gin.CreateTestContextOnly(nil, engine)
		c.Request = &http.Request{URL: &url.URL{RawQuery: query}, RemoteAddr: "192.0.2.1:1", Header: http.Header{}}
		w, err := readWorkersQuery(c)
		if !refusedInWords(t, query, err) && (w.limit < 0 || w.limit > maxPage || w.bound != "" && w.bound != "true" && w.bound != "false") {
			t.Errorf("%q is read as %+v", query, w)
		}
		w.matches(row{worker: &ledger.Worker{}})
		o, err := operationsQuery(c)
		if !refusedInWords(t, query, err) && (o.Since < 0 || o.Before < 0 || o.Limit < 1 || o.Limit > audit.MaxLimit || o.Tail < 0 || o.Tail > audit.MaxLimit) {
			t.Errorf("%q is read as %+v", query, o)
		}
		r, err := removal(c, "delete_file")
		if !refusedInWords(t, query, err) && r.Client != "192.0.2.1" {
			t.Errorf("%q is read as %+v", query, r)
		}
		_, err = httpx.QueryBool(c, "live")
		refusedInWords(t, query, err)
		_, err = iscsi.ParseIQN(c.Query("iqn"))
		refusedInWords(t, query, err)
	})
}

func refusedInWords(t *testing.T, query string, err error) bool {
	t.Helper()
	if text := fault.Sentence(err); err != nil && (!fault.Is(err, fault.Invalid) || text == "" || len(text) > 1000 || !utf8.ValidString(text)) {
		t.Errorf("%q is refused with %q (%v)", query, text, err)
	}
	return err != nil
}
