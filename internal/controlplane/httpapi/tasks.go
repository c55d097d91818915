package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
)

func (s *server) listTasks(*gin.Context) (int, any, error) { return http.StatusOK, s.Tasks.List(), nil }

func (s *server) getTask(c *gin.Context) (int, any, error) {
	t, err := s.Tasks.Get(c.Param("id"))
	return http.StatusOK, t, err
}

func (s *server) cancelTask(c *gin.Context) (int, any, error) {
	t, err := s.Tasks.Cancel(c.Param("id"))
	return http.StatusOK, t, err
}

// accepted answers with the task that does what was asked.
func accepted(c *gin.Context, taskID string) (int, any, error) {
	c.Header("Location", "/tasks/"+taskID)
	c.Header("Preference-Applied", "respond-async")
	return http.StatusAccepted, api.TaskStarted{TaskID: taskID}, nil
}
