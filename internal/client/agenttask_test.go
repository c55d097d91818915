package client

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func TestANodeWithTasksAnswersWithOneAndAnotherWithTheDisk(t *testing.T) {
	tasks := true
	a := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "POST /lun/disk":
			if r.Header.Get("Prefer") != "respond-async" {
				t.Errorf("prefer %q", r.Header.Get("Prefer"))
			}
			if tasks {
				w.WriteHeader(http.StatusAccepted)
				_, _ = io.WriteString(w, `{"task_id":"t1"}`)
				return
			}
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"iqn":"q","backing":"/d/x.img","clone":"copy","bytes":7}`)
		case "GET /tasks/t1":
			_, _ = io.WriteString(w, `{"id":"t1","state":"running","bytes_done":3,"bytes_total":7,"clone":"copy"}`)
		case "DELETE /tasks/t1":
			_, _ = io.WriteString(w, `{"id":"t1","state":"succeeded","result":{"iqn":"q","backing":"/d/x.img"}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"detail":"task not found","code":"not_found"}`)
		}
	})
	if made, task, err := a.CreateDiskAsync(t.Context(), api.CreateLUN{IQN: "q"}); err != nil || task != "t1" || made.Backing != "" {
		t.Errorf("%+v %q %v", made, task, err)
	}
	if st, err := a.Task(t.Context(), "t1"); err != nil || st.State != api.TaskRunning || st.BytesDone != 3 || st.BytesTotal != 7 {
		t.Errorf("%+v %v", st, err)
	}
	if st, err := a.CancelTask(t.Context(), "t1"); err != nil || st.State != api.TaskSucceeded || st.Result == nil || st.Result.Backing != "/d/x.img" {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := a.CancelTask(t.Context(), "../lun"); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	tasks = false
	if made, task, err := a.CreateDiskAsync(t.Context(), api.CreateLUN{IQN: "q"}); err != nil || task != "" || made.Bytes != 7 {
		t.Errorf("%+v %q %v", made, task, err)
	}
}
