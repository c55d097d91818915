package httpapi

import (
	"net/http"
	"strings"

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

// prefersAsync reports whether the caller asked for "Prefer: respond-async"
// (RFC 7240), which may stand among other preferences.
func prefersAsync(c *gin.Context) bool {
	for _, line := range c.Request.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(preference, ";")
			if strings.EqualFold(strings.TrimSpace(name), "respond-async") {
				return true
			}
		}
	}
	return false
}

// accepted answers with the task that does what was asked.
func accepted(c *gin.Context, taskID string) (int, any, error) {
	c.Header("Location", "/tasks/"+taskID)
	c.Header("Preference-Applied", "respond-async")
	return http.StatusAccepted, api.TaskStarted{TaskID: taskID}, nil
}
