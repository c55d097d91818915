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
//
// The error is all flaws.
func readSettings(content []byte) (s Settings, schema int, err error) {
	fields, err := settingsFields(content)
	if err != nil {
		return s, 0, err
	}
	var retired []string
	var wrong flaws
	for _, f := range []struct {
		key  string
		into any
	}{{"schema", &schema}, {"auto_register", &s.AutoRegister}, {"retired", &retired}} {
		if raw, ok := fields[f.key]; ok && json.Unmarshal(raw, f.into) != nil {
			wrong = append(wrong, flawAt(lineOf(content, bytes.Index(content, []byte(`"`+f.key+`"`))), "%s cannot be %s", f.key, raw))
		}
	}
	_, named := fields["schema"]
	switch {
	case schema > schemaVersion:
		return Settings{}, 0, newer(0, schema, schemaVersion) // in which all may mean something else
	case named && schema < 1 && len(wrong) == 0:
		wrong = append(wrong, flawAt(0, "schema %d is no version", schema))
	}
	for _, name := range retired {
		h, err := netboot.ParseHostname(name)
		if err != nil {
			wrong = append(wrong, flawed(lineOf(content, bytes.Index(content, []byte(name))), "retired", err))
		}
		s.Retired = append(s.Retired, h)
	}
	if err := wrong.err(); err != nil {
		return Settings{}, 0, err
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
