// Package nginx holds what nginx is given: the configuration and the script of
// the file server. Its tests hold every rule of it, with Debian 12's nginx and
// with a newer one.
package nginx
