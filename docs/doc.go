// Package docs holds the guides, and the tests that follow them.
package docs
