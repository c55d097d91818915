package arch

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
)

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "ash": true, "zsh": true, "ksh": true, "busybox": true}

// starters are the doors beside os/exec through which a program starts.
var starters = map[string]bool{
	"os.StartProcess": true, "syscall.Exec": true, "syscall.ForkExec": true, "syscall.StartProcess": true, "unix.Exec": true,
}

// openers wait for the other end of a named pipe.
var openers = map[string]bool{"os.Open": true, "os.OpenFile": true, "os.ReadFile": true, "ioutil.ReadFile": true}

// waitsForPipe reports whether a call opens a file by a name that somebody
// chose; the kernel's own below /proc are files.
func waitsForPipe(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !openers[selector(fun)] || len(call.Args) == 0 {
		return false
	}
	kernels := false
	ast.Inspect(call.Args[0], func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		kernels = kernels || ok && strings.HasPrefix(text.Value, `"/proc/`)
		return true
	})
	return !kernels
}

// mayOpen lists who opens files by itself, and without waiting: what is built for
// tests, and the few that need another flag than atomicfile gives.
func mayOpen(f File) bool {
	switch f.Dir() {
	case "internal/atomicfile", "internal/jsonlog", "internal/onewriter", "internal/agent/target/lio":
		return true
	}
	switch f.Path {
	case "internal/agent/store/inspect.go", "internal/agent/target/stgt/tgtd/supervisor.go":
		return true
	}
	return f.IsTest() || isLab(f) || within(f.Dir(), "tools")
}

func checkCalls(f File) []Breach {
	var out []Breach
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if passesShell(n.Args) && !f.IsTest() {
				out = append(out, f.breach(n, "a shell is given a command; programs get argument vectors"))
			}
			if waitsForPipe(n) && !mayOpen(f) {
				out = append(out, f.breach(n, "a file is opened past atomicfile, which a named pipe in its place holds for ever"))
			}
		case *ast.CompositeLit:
			if passesShell(n.Elts) && !f.IsTest() {
				out = append(out, f.breach(n, "a shell is given a command; programs get argument vectors"))
			}
		case *ast.SelectorExpr:
			if name := selector(n); starters[name] && !f.IsTest() {
				out = append(out, f.breach(n, "%s is used; programs are started through os/exec", name))
			}
		}
		return true
	})
	return out
}

// passesShell reports whether a list of arguments names a shell and, behind
// it, a flag like -c or -ec.
func passesShell(args []ast.Expr) bool {
	shell := false
	for _, a := range args {
		lit, ok := a.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		s, err := strconv.Unquote(lit.Value)
		if err != nil {
			continue
		}
		if shell && isCommandFlag(s) {
			return true
		}
		shell = shell || shells[path.Base(s)]
	}
	return false
}

func isCommandFlag(s string) bool {
	return len(s) >= 2 && s[0] == '-' && s[1] != '-' && strings.HasSuffix(s, "c") && len(s) <= 5
}

func selector(s *ast.SelectorExpr) string {
	if x, ok := s.X.(*ast.Ident); ok {
		return x.Name + "." + s.Sel.Name
	}
	return ""
}
