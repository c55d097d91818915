package api

import "time"

// The states of a task and of its items. A task ends as succeeded, failed,
// cancelled or, when the control plane stopped before it did, interrupted.
const (
	TaskQueued      = "queued"
	TaskRunning     = "running"
	TaskSucceeded   = "succeeded"
	TaskFailed      = "failed"
	TaskCancelled   = "cancelled"
	TaskInterrupted = "interrupted"
)

// Task is one of the control plane's GET /tasks.
type Task struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind"` // disk.create, disk.create.batch or worker.delete.batch
	State     string     `json:"state"`
	Items     []TaskItem `json:"items"` // in the order asked
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

// TaskItem is what a task does to one worker.
type TaskItem struct {
	WorkerID   string `json:"worker_id"`
	Agent      string `json:"agent"` // empty until a node is chosen
	State      string `json:"state"`
	BytesDone  int64  `json:"bytes_done"`
	BytesTotal int64  `json:"bytes_total"`      // 0: not known
	Reason     string `json:"reason,omitempty"` // why there was nothing to do
	Error      string `json:"error,omitempty"`
}

// TaskStarted is the body of a 202: the answer to Prefer: respond-async.
type TaskStarted struct {
	TaskID string `json:"task_id"`
}

// AgentTask is an agent's GET /tasks/{id}: the copy of one disk.
type AgentTask struct {
	ID         string      `json:"id"`
	Kind       string      `json:"kind"`  // disk
	State      string      `json:"state"` // never interrupted: an agent that restarts forgets its tasks
	IQN        string      `json:"iqn"`
	BytesDone  int64       `json:"bytes_done"`
	BytesTotal int64       `json:"bytes_total"`
	Clone      string      `json:"clone"` // reflink or copy; empty until it is known
	StartedAt  time.Time   `json:"started_at"`
	EndedAt    *time.Time  `json:"ended_at,omitempty"`
	Result     *LUNCreated `json:"result,omitempty"`
	Error      string      `json:"error,omitempty"`
	Code       string      `json:"code,omitempty"` // the kind of Error, so that it is the same fault to a caller that did not wait
}

// Ended reports whether nothing happens any more in this state.
func Ended(taskState string) bool { return taskState != TaskQueued && taskState != TaskRunning }
