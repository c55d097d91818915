//go:build !integration

package controlplane

const everyFault = false
