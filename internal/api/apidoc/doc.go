// Package apidoc turns the OpenAPI document into the pages that people read,
// docs/api.md and docs/api.zh.md. A test fails when the pages on disk are not
// what it makes.
package apidoc

//go:generate go run ./write ../../../docs
