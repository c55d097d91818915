package agent

import (
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/clocktest"
)

func TestAClockThatIsSetHidesNoSecondMachineAndLosesNoEntry(t *testing.T) {
	for name, jump := range map[string]time.Duration{
		"three hours on": 3 * time.Hour, "three hours back": -3 * time.Hour,
		"twenty years on": 20 * 365 * 24 * time.Hour, "twenty years back": -20 * 365 * 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clock clocktest.Clock
			o, b := options(t), fake.New()
			o.Fence, o.Now = 5*time.Millisecond, clock.Now
			n := start(t, o, b)
			for _, disk := range []string{"pc", "pd"} {
				if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:`+disk+`.debian","size":"1M"}`); status != 201 {
					t.Fatal(status, text)
				}
				if _, err := b.Login(base+":"+disk+".debian", base+":"+disk); err != nil {
					t.Fatal(err)
				}
			}
			second := func(disk string) (leave func()) {
				leave, err := b.LoginFrom(base+":"+disk+".debian", target.Session{Initiator: base + ":evil", Address: "192.0.2.8"})
				if err != nil {
					t.Fatal(err)
				}
				return leave
			}
			rivals := func() int { return len(get[api.Fencing](t, n, "/fencing").Rivalries) }
			leave := second("pc")
			until(t, "the rivalry is reported", func() bool { return rivals() == 1 })
			clock.Set(jump)
			_ = second("pd")
			until(t, "one that begins after the jump too", func() bool { return rivals() == 2 })
			leave()
			until(t, "the first is over", func() bool { return rivals() == 1 })
			until(t, "each is in the operation log once", func() bool {
				_, text := n.call(t, "GET", "/logs", "")
				return strings.Count(text, `"op":"second_initiator"`) == 2 && strings.Count(text, `"op":"disk"`) == 2
			})
		})
	}
}
