package httpapi

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

func TestAQuestionIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	queries := []string{"", "mac=52:54:00:00:00:01&hostname=pc-1", "hostname=pc-1&format=json&mac=52-54-00-00-00-01",
		"mac=a&mac=b", "mac=&mac=b", "mac", "=", "&&mac=a&", "mac=a=b", "mac=%35%32&hostname=a+b", "m%61c=a", "mac=a;b&hostname=pc-1", "mac=%zz&hostname=pc-1", "MAC=a&macs=b"}
	pieces := []string{"mac", "hostname", "format", "=", "=", "&", "&", "a", "b-1", "%", "%41", "+", ";", ":", "\x00", "é", "?", "#"}
	for range 20_000 {
		var q strings.Builder
		for range rand.IntN(12) {
			q.WriteString(pieces[rand.IntN(len(pieces))])
		}
		queries = append(queries, q.String())
	}
	for _, q := range queries {
		v, _ := url.ParseQuery(q)
		want := question{mac: v.Get("mac"), hostname: v.Get("hostname"), format: v.Get("format")}
		if got := readQuestion(q); got != want {
			t.Errorf("%q: got %+v, want %+v", q, got, want)
		}
	}
}
