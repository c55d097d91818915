package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

//go:embed openapi.yaml
var controlPlaneYAML []byte

// ControlPlaneDocument is openapi.yaml, the OpenAPI 3.1 document of the control
// plane, as JSON.
func ControlPlaneDocument() ([]byte, error) { return asJSON("openapi.yaml", controlPlaneYAML) }

// ControlPlaneYAML is that document as it was written.
func ControlPlaneYAML() []byte { return slices.Clone(controlPlaneYAML) }

func asJSON(name string, text []byte) ([]byte, error) {
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return out, nil
}

// Version is GET /version.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // "" where the build did not record it
	Go      string `json:"go"`
	Access  string `json:"access,omitempty"` // what the caller may do: full or view; only the control plane says it
}

// What a caller may do, as Version tells it.
const (
	AccessFull = "full"
	AccessView = "view" // read, and nothing else
)
