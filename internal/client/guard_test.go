package client

import (
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

func TestAMetadataServiceIsNeverAsked(t *testing.T) {
	for _, url := range []string{"http://169.254.169.254", "http://[fe80::1]:4840", "http://[::ffff:169.254.169.254]", "http://[fd00:ec2::254]",
		"http://100.100.100.200", "http://192.0.0.192", "http://[64:ff9b::169.254.169.254]"} {
		a := NewAgent(AgentOptions{ID: "st1", BaseURL: url, Token: secret.New("tok"), Timeout: 20 * time.Second, HTTP: NewHTTP(20 * time.Second)})
		_, err := a.Capabilities(t.Context())
		if !fault.Is(err, fault.Upstream) || fault.CodeOf(err) != "agent_address" ||
			!strings.HasSuffix(fault.Sentence(err), "is link-local or a metadata service and no storage node") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
