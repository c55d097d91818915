package main

import (
	"strings"
	"testing"
)

func TestAskedForARowThatIsNotThereItNamesThoseThatAre(t *testing.T) {
	ok, err := run("registrations", "")
	if ok || err == nil {
		t.Fatalf("it measured nothing and ended with %v, %v", ok, err)
	}
	for _, name := range []string{`"registrations"`, "boot-p99", "fleet"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
}
