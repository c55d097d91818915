package httpapi

import (
	"math"
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) getWorker(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	snap := s.Ledger.Snapshot()
	w, ok := snap.Worker(id)
	if !ok {
		return 0, nil, fault.New(fault.NotFound, "worker %s not found", id)
	}
	return http.StatusOK, workerView(snap, w), nil
}

func (s *server) createWorker(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[api.CreateWorker](c)
	if err != nil {
		return 0, nil, err
	}
	r, err := registration(in)
	if err != nil {
		return 0, nil, err
	}
	r.Client = c.ClientIP()
	w, receipt, err := s.Provision.Register(c.Request.Context(), r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, api.Changed{Worker: workerView(s.Ledger.Snapshot(), w), DnsmasqReloaded: receipt.Reloaded}, nil
}

func registration(in api.CreateWorker) (r provision.Registration, err error) {
	if r.ID, err = netboot.ParseWorkerID(in.WorkerID); err != nil {
		return r, err
	}
	if r.MAC, err = netboot.ParseMAC(in.MAC); err != nil {
		return r, err
	}
	host := in.Hostname
	if host == "" {
		host = in.WorkerID
	}
	if r.Hostname, err = netboot.ParseHostname(host); err != nil {
		return r, err
	}
	if in.Arch != "" {
		if r.Arch, err = netboot.ParseArch(in.Arch); err != nil {
			return r, err
		}
	}
	if in.WindowsISO != "" {
		if r.WindowsISO, err = image.ParseCD(in.WindowsISO); err != nil {
			return r, err
		}
	}
	if in.Boot != nil {
		r.Boot, err = bootWords(*in.Boot)
	}
	return r, err
}

func bootWords(in api.Boot) (b ledger.Boot, err error) {
	if in.MenuDefault != "" {
		if b.MenuDefault, err = netboot.ParseMenuItem(in.MenuDefault); err != nil {
			return b, err
		}
	}
	if in.MenuTimeout != nil {
		b.MenuTimeout, err = menuTimeout(*in.MenuTimeout)
	}
	return b, err
}

// menuTimeout is in milliseconds, as far as iPXE can count.
func menuTimeout(ms int) (*int, error) {
	const most = math.MaxInt32
	if ms < 0 || ms > most {
		return nil, fault.New(fault.Invalid, "menu_timeout %d is not a number of milliseconds from 0 to %d", ms, most)
	}
	return &ms, nil
}

func (s *server) deleteWorker(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	r, err := removal(c, "delete_disk")
	if err != nil {
		return 0, nil, err
	}
	out, err := s.Provision.DeleteWorker(c.Request.Context(), id, r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.WorkerDeleted{
		Deleted: id.String(), DeleteDisk: r.DeleteFile,
		DnsmasqRemoved: out.BindingRemoved, DnsmasqReloaded: out.Receipt.Reloaded,
	}, nil
}

// removal reads the options every deletion shares; file is the name under
// which this one asks for the image to go too.
func removal(c *gin.Context, file string) (r provision.Removal, err error) {
	r.Client = c.ClientIP()
	if r.DeleteFile, err = httpx.QueryBool(c, file); err != nil {
		return r, err
	}
	if r.IgnoreMissing, err = httpx.QueryBool(c, "ignore_missing_target"); err != nil {
		return r, err
	}
	r.Force, err = httpx.QueryBool(c, "force")
	return r, err
}
