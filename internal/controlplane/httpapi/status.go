package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) workerStatus(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	st, err := s.Provision.Status(c.Request.Context(), id)
	if err != nil {
		return 0, nil, err
	}
	w := workerView(s.Ledger.Snapshot(), st.Worker)
	out := api.WorkerStatus{Worker: w, Actual: api.Actual{
		Dnsmasq: api.Binding{Hostname: w.Hostname, MAC: w.MAC}, Disks: make([]api.DiskStatus, 0, len(st.Disks)),
	}}
	for i, d := range st.Disks {
		out.Actual.Disks = append(out.Actual.Disks, api.DiskStatus{OS: w.Disks[i].OS, LUNStatus: lunStatus(d)})
	}
	if st.CD != nil {
		cd := lunStatus(*st.CD)
		out.Actual.CD = &cd
	}
	return http.StatusOK, out, nil
}

func lunStatus(t provision.Standing) api.LUNStatus {
	out := api.LUNStatus{Agent: t.Agent.String(), IQN: t.IQN.String(), Exists: t.Target != nil, Target: t.Target}
	if t.Target != nil {
		out.Sessions = t.Target.Sessions
	}
	if t.Err != nil {
		out.Error = fault.Sentence(t.Err)
	}
	return out
}
