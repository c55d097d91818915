package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/gin-gonic/gin"
)

// serveBare is the handler that ours are held against: Gin with nothing but a
// constant, in a process of its own as ipxe-cp is.
func serveBare(length int) {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	constant := strings.Repeat("x", length)
	e.GET("/boot-vars", func(c *gin.Context) { c.String(http.StatusOK, constant) })
	e.GET("/workers", func(c *gin.Context) {
		c.Header("Etag", `W/"1"`)
		c.Status(http.StatusNotModified)
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + ln.Addr().String())
	_ = http.Serve(ln, e) // until it is killed
}

// startBare runs it.
func (b *bench) startBare(length int) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, "-bare", strconv.Itoa(length))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, err
	}
	return strings.TrimSpace(line), stop, nil
}
