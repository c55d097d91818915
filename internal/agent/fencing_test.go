package agent

import (
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
)

func TestASecondMachineOnADiskIsReportedLoggedAndCounted(t *testing.T) {
	o, b := options(t), fake.New()
	o.Fence = 5 * time.Millisecond
	n := start(t, o, b)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:pc.debian","size":"1M"}`); status != 201 {
		t.Fatal(status, text)
	}
	if _, err := b.Login(base+":pc.debian", base+":pc"); err != nil {
		t.Fatal(err)
	}
	leave, err := b.LoginFrom(base+":pc.debian", target.Session{Initiator: base + ":evil", Address: "192.0.2.8"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the rivalry is reported", func() bool { return len(get[api.Fencing](t, n, "/fencing").Rivalries) == 1 })
	r := get[api.Fencing](t, n, "/fencing").Rivalries[0]
	if r.IQN != base+":pc.debian" || len(r.Sessions) != 2 || r.Sessions[1].Initiator != base+":evil" || *r.Sessions[1].Address != "192.0.2.8" || r.Since.IsZero() {
		t.Errorf("%+v", r)
	}
	n.wantMetrics(t, `ipxe_agent_disks_with_two_initiators 1`)
	until(t, "it is in the operation log", func() bool {
		_, text := n.call(t, "GET", "/logs", "")
		return strings.Contains(text, `"op":"second_initiator"`) && strings.Contains(text, base+":evil")
	})
	leave()
	until(t, "it is over", func() bool { return len(get[api.Fencing](t, n, "/fencing").Rivalries) == 0 })
	n.wantMetrics(t, `ipxe_agent_disks_with_two_initiators 0`)
}
