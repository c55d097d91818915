package api

// Error is the body of every answer from 400 up.
type Error struct {
	Detail    any    `json:"detail"` // a sentence, or an AgentError
	Code      string `json:"code"`   // snake_case
	RequestID string `json:"request_id"`
}

// AgentError is the detail of an error that came from a storage node.
type AgentError struct {
	Agent string `json:"agent"`
	Error string `json:"error"` // the agent's own words
}

// HeaderRequestID carries the id of one request through logs and errors.
const HeaderRequestID = "X-Request-Id"
