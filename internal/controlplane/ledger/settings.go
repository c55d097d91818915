package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"ipxe-all-ready/internal/netboot"
)

// readSettings reads settings.json:
//
//	{"auto_register": true, "retired": ["worker-07"], "schema": 1}
func readSettings(content []byte) (s Settings, schema int, err error) {
	fields, err := settingsFields(content)
	if err != nil {
		return s, 0, err
	}
	var retired []string
	for key, into := range map[string]any{"schema": &schema, "auto_register": &s.AutoRegister, "retired": &retired} {
		if raw, ok := fields[key]; ok && json.Unmarshal(raw, into) != nil {
			return Settings{}, 0, flawAt(lineOf(content, bytes.Index(content, []byte(`"`+key+`"`))), "%s cannot be %s", key, raw)
		}
	}
	if _, named := fields["schema"]; named && schema < 1 {
		return Settings{}, 0, flawAt(0, "schema %d is no version", schema)
	}
	if schema > schemaVersion {
		return Settings{}, 0, flawAt(0, "schema %d is newer than this program, which knows %d", schema, schemaVersion)
	}
	for _, name := range retired {
		h, err := netboot.ParseHostname(name)
		if err != nil {
			return Settings{}, 0, flawed(lineOf(content, bytes.Index(content, []byte(name))), "retired", err)
		}
		s.Retired = append(s.Retired, h)
	}
	return s.clone(), schema, nil
}

func settingsFields(content []byte) (map[string]json.RawMessage, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, flawAt(0, "the file is empty; no settings are written as {}")
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(content, &fields)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, flawAt(lineOf(content, int(syntax.Offset)), "not valid JSON: %s", syntax)
	case err != nil || fields == nil:
		return nil, flawAt(1, "the file is no JSON object")
	}
	return fields, nil
}

func lineOf(content []byte, offset int) int {
	return 1 + bytes.Count(content[:max(0, min(offset, len(content)))], []byte("\n"))
}

// writeSettings is s as a file; keys of old that we do not know stay.
func writeSettings(old []byte, s Settings) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if len(old) > 0 {
		var err error
		if fields, err = settingsFields(old); err != nil {
			return nil, err
		}
	}
	retired := []string{}
	for _, h := range s.Retired {
		retired = append(retired, h.String())
	}
	delete(fields, "auto_register")
	known := map[string]any{"schema": schemaVersion, "retired": retired}
	if s.AutoRegister != nil {
		known["auto_register"] = *s.AutoRegister
	}
	for key, v := range known {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("encode setting %s: %w", key, err)
		}
		fields[key] = raw
	}
	out, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	return append(out, '\n'), nil
}
