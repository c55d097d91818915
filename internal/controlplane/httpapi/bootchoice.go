package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) setBoot(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.SetBoot](c)
	if err != nil {
		return 0, nil, err
	}
	b, err := bootChoice(in)
	if err != nil {
		return 0, nil, err
	}
	b.Client = c.ClientIP()
	w, err := s.Provision.SetBoot(c.Request.Context(), id, b)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, workerView(s.Ledger.Snapshot(), w), nil
}

func bootChoice(in api.SetBoot) (b provision.BootChoice, err error) {
	if !in.OS.Set && !in.MenuDefault.Set && !in.MenuTimeout.Set {
		return b, fault.New(fault.Invalid, "none of os, menu_default and menu_timeout is given")
	}
	if b.OS, err = clearable(in.OS, netboot.ParseOS); err != nil {
		return b, err
	}
	if b.MenuDefault, err = clearable(in.MenuDefault, netboot.ParseMenuItem); err != nil {
		return b, err
	}
	b.MenuTimeout.Set = in.MenuTimeout.Set
	if in.MenuTimeout.Set && !in.MenuTimeout.Null {
		b.MenuTimeout.Value, err = menuTimeout(in.MenuTimeout.Value)
	}
	return b, err
}

// clearable parses a field of which null and "" mean the zero word.
func clearable[T any](in api.Optional[string], parse func(string) (T, error)) (out api.Optional[T], err error) {
	out.Set = in.Set
	if in.Set && !in.Null && in.Value != "" {
		out.Value, err = parse(in.Value)
	}
	return out, err
}
