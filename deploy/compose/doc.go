// Package compose is the site in containers: compose files here, Dockerfiles in
// deploy/docker. Its tests hold the files to rules, and bring all of it up in a
// Docker engine (tag containers, make containers-test).
package compose
