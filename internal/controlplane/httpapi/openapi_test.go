package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// document is what these tests look at of openapi.yaml.
type document struct {
	Paths map[string]map[string]json.RawMessage `json:"paths"`
	Codes map[string]struct{ EN, ZH string }    `json:"x-error-codes"`
	Tags  []struct{ Name string }               `json:"tags"`
}

func readDocument(t *testing.T) document {
	t.Helper()
	text, err := api.ControlPlaneDocument()
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryRouteIsDocumentedAndEveryDocumentedPathServed(t *testing.T) {
	e, err := New(Options{Log: slog.New(slog.DiscardHandler), Metrics: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	served := routesOf(e)
	var documented []string
	for path, methods := range readDocument(t).Paths {
		for method := range methods {
			if method != "parameters" {
				documented = append(documented, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, r := range served {
		if !slices.Contains(documented, r) {
			t.Errorf("%s is not in openapi.yaml", r)
		}
	}
	for _, r := range documented {
		if !slices.Contains(served, r) {
			t.Errorf("%s is in openapi.yaml and not served", r)
		}
	}
}

// routesOf lists them as OpenAPI writes paths.
func routesOf(e *gin.Engine) (out []string) {
	param := regexp.MustCompile(`:([a-z]+)`)
	for _, r := range e.Routes() {
		out = append(out, r.Method+" "+param.ReplaceAllString(r.Path, "{$1}"))
	}
	return out
}

func TestThePlainPortServesPartOfTheWhole(t *testing.T) {
	o := Options{Log: slog.New(slog.DiscardHandler), Metrics: http.NotFoundHandler()}
	whole, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	boot, err := NewBoot(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routesOf(boot) {
		if !slices.Contains(routesOf(whole), r) {
			t.Errorf("%s", r)
		}
	}
}

func TestEveryOperationIsDescribedInBothLanguages(t *testing.T) {
	d := readDocument(t)
	ids := map[string]bool{}
	for path, methods := range d.Paths {
		for method, raw := range methods {
			if method == "parameters" {
				continue
			}
			var op struct {
				ID      string                     `json:"operationId"`
				EN      string                     `json:"summary"`
				ZH      string                     `json:"x-summary-zh"`
				Tags    []string                   `json:"tags"`
				Answers map[string]json.RawMessage `json:"responses"`
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatal(err)
			}
			known := slices.ContainsFunc(d.Tags, func(tag struct{ Name string }) bool { return slices.Contains(op.Tags, tag.Name) })
			if op.ID == "" || ids[op.ID] || op.EN == "" || op.ZH == "" || len(op.Tags) != 1 || !known {
				t.Errorf("%s %s: its id %q is missing or taken, a summary is missing (%q, %q) or its tag %q is not one of the document's",
					method, path, op.ID, op.EN, op.ZH, op.Tags)
			}
			ids[op.ID] = true
			// Who sends a body or changes something may meet these whatever else happens.
			if method != "get" {
				for _, status := range []string{"400", "401", "403", "500", "503"} {
					if op.Answers[status] == nil {
						t.Errorf("%s %s has no %s", method, path, status)
					}
				}
			}
		}
	}
}

// coded finds the codes that our sources give to errors.
var coded = []*regexp.Regexp{
	regexp.MustCompile(`WithCode\("([a-z_]+)"\)`),
	regexp.MustCompile(`fault\.Error\{[^}]*Code:\s*"([a-z_]+)"`),
	regexp.MustCompile(`writeBody\(c, [^,]+, "([a-z_]+)"`),
	regexp.MustCompile(`Code[A-Z][A-Za-z]* += "([a-z_]+)"`),
	regexp.MustCompile(`p\.codes\+"(_[a-z_]+)"`),
}

func TestEveryErrorCodeIsDocumented(t *testing.T) {
	documented := readDocument(t).Codes
	for k := fault.Internal; k <= fault.NoSpace; k++ {
		if documented[k.Code()].EN == "" || documented[k.Code()].ZH == "" {
			t.Errorf("the kind %s", k.Code())
		}
	}
	err := filepath.WalkDir("../../../internal", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, re := range coded {
			for _, m := range re.FindAllSubmatch(source, -1) {
				code := string(m[1])
				if strings.HasPrefix(code, "_") {
					code = "agent" + code
				}
				if documented[code].EN == "" || documented[code].ZH == "" {
					t.Errorf("%s: the code %s is not in openapi.yaml", path, code)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
