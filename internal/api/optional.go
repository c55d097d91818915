package api

import "encoding/json"

// Optional tells a field that is absent from one that is null and one that has a value.
type Optional[T any] struct {
	Set   bool // the field was there
	Null  bool // and was null
	Value T
}

// Some is a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: v} }

// UnmarshalJSON notes that the field was there.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

// MarshalJSON writes the value or null; an absent field cannot be told apart
// here, so a request that leaves one out is built without it (omitzero).
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set || o.Null {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// IsZero lets omitzero leave an absent field out.
func (o Optional[T]) IsZero() bool { return !o.Set }
