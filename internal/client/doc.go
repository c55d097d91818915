// Package client speaks HTTP to our own daemons and is the only place that
// imports resty. Faults come back as the kinds they left as; every call has a
// deadline, no answer is read without end, and no token follows a redirect.
package client
