// Package httpx is the Gin edge that both daemons share: request ids, tokens,
// strict decoding, one table from fault kinds to status codes, and a server
// that stops cleanly. It knows no use-case.
package httpx
