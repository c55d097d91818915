package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/agent/task"
	"ipxe-all-ready/internal/api"
)

// begin answers with the task that does the work.
func (s *server) begin(c *gin.Context, iqn string, work task.Work) (int, any, error) {
	id, err := s.Tasks.Go(iqn, work)
	if err != nil {
		return 0, nil, err
	}
	c.Header("Location", "/tasks/"+id)
	c.Header("Preference-Applied", "respond-async")
	return http.StatusAccepted, api.TaskStarted{TaskID: id}, nil
}

func (s *server) getTask(c *gin.Context) (int, any, error) {
	t, err := s.Tasks.Get(c.Param("id"))
	return http.StatusOK, t, err
}

func (s *server) cancelTask(c *gin.Context) (int, any, error) {
	t, err := s.Tasks.Cancel(c.Param("id"))
	return http.StatusOK, t, err
}
