package httpx

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/fault"
)

// MaxBody is the largest request body, in bytes.
const MaxBody = 4 << 20

// Decode reads one JSON object from the body. Unknown fields are passed over,
// as older clients may send some; anything else that is not the JSON asked for
// is Invalid, a body over MaxBody TooLarge.
func Decode[T any](c *gin.Context) (T, error) {
	var v T
	if c.Request.ContentLength > MaxBody { // not a byte of it need be waited for
		return v, bodyFault(&http.MaxBytesError{Limit: MaxBody})
	}
	d := json.NewDecoder(http.MaxBytesReader(c.Writer, c.Request.Body, MaxBody))
	if err := d.Decode(&v); err != nil {
		return v, jsonFault(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		if err := bodyFault(err); fault.Is(err, fault.TooLarge) {
			return v, err
		}
		return v, fault.New(fault.Invalid, "the body holds more than one JSON value")
	}
	return v, nil
}

func jsonFault(err error) error {
	if f := bodyFault(err); fault.Is(f, fault.TooLarge) {
		return f
	}
	var wrong *json.UnmarshalTypeError
	var broken net.Error
	switch {
	case errors.As(err, &broken):
		return fault.Wrap(fault.Invalid, err, "the body broke off before its end")
	case errors.Is(err, io.EOF):
		return fault.New(fault.Invalid, "the body is empty, JSON was expected")
	case errors.As(err, &wrong) && wrong.Field != "" && jsonKind(wrong) == "whole number" && strings.HasPrefix(wrong.Value, "number"):
		return fault.Wrap(fault.Invalid, err, "%s must be a whole number", wrong.Field)
	case errors.As(err, &wrong) && wrong.Field != "":
		return fault.Wrap(fault.Invalid, err, "%s must be a %s, not a JSON %s", wrong.Field, jsonKind(wrong), wrong.Value)
	case errors.As(err, &wrong):
		return fault.Wrap(fault.Invalid, err, "the body must be a JSON object, not a JSON %s", wrong.Value)
	}
	return fault.Wrap(fault.Invalid, err, "the body is not valid JSON: %s", fault.Clip(err.Error()))
}

// jsonKind names a Go type in the words of JSON.
func jsonKind(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	case "int", "int64":
		return "whole number"
	case "float64":
		return "number"
	case "slice":
		return "list"
	}
	return "object"
}

// QueryBool reads a flag: 1, t, true, 0, f, false in any case; absent is false.
func QueryBool(c *gin.Context, name string) (bool, error) {
	s, ok := c.GetQuery(name)
	if !ok || s == "" {
		return false, nil
	}
	v, err := strconv.ParseBool(s)
	if err != nil {
		return false, fault.New(fault.Invalid, "%s=%q is neither true nor false", name, fault.Clip(s))
	}
	return v, nil
}

// QueryInt reads a number from least to most; absent is def.
func QueryInt(c *gin.Context, name string, def, least, most int64) (int64, error) {
	s, ok := c.GetQuery(name)
	if !ok || s == "" {
		return def, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fault.New(fault.Invalid, "%s=%q is not a number from %d to %d", name, fault.Clip(s), least, most)
	}
	return n, nil
}
