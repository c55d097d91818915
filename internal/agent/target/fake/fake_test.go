package fake_test

import (
	"testing"

	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/agent/target/targettest"
)

func TestTheFakeKeepsTheContract(t *testing.T) {
	targettest.Run(t, func(*testing.T) targettest.Server {
		b := fake.New()
		return targettest.Server{Backend: b, Login: b.Login}
	})
}
