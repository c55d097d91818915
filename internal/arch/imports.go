package arch

import (
	"path"
	"strings"
)

// importLaw says who may import what it is about.
type importLaw struct {
	text   string
	about  func(imported string) bool
	allows func(f File, imported string) bool // an import of our own comes without the module's name
}

var importLaws = []importLaw{
	{"gin belongs to httpapi and httpx",
		under("github.com/gin-gonic", "github.com/gin-contrib"),
		func(f File, _ string) bool {
			// The benchmarks hold our handlers against a bare one.
			return path.Base(f.Dir()) == "httpapi" || f.Dir() == "internal/httpx" || f.Dir() == "internal/lab/bench"
		}},
	{"resty belongs to client",
		under("github.com/go-resty", "resty.dev"),
		func(f File, _ string) bool { return f.Dir() == "internal/client" }},
	{"the Charm libraries belong to tui",
		under("github.com/charmbracelet", "charm.land"),
		func(f File, _ string) bool { return within(f.Dir(), "tui") }},
	{"programs are started by target/stgt, the lab and tests alone",
		under("os/exec"),
		func(f File, _ string) bool {
			return f.IsTest() || within(f.Dir(), "internal/agent/target/stgt") || isLab(f)
		}},
	{"control plane, agent and tui share words, api, client and plumbing, never each other",
		under(module+"internal/controlplane", module+"internal/agent", module+"tui"),
		func(f File, imported string) bool {
			return within(f.Dir(), side(imported)) || within(f.Dir(), "cmd") || isLab(f)
		}},
	{"a backend driver is named by the agent's root alone",
		under(module+"internal/agent/target/stgt", module+"internal/agent/target/lio", module+"internal/agent/target/fake"),
		func(f File, imported string) bool {
			return f.IsTest() || f.Dir() == "internal/agent" || within(f.Dir(), driver(imported))
		}},
	{"a lock of one writer is taken by whom its files belong to: the control plane's root, and the agent's store",
		under(module + "internal/onewriter"),
		func(f File, _ string) bool {
			return f.Dir() == "internal/controlplane" || f.Dir() == "internal/agent/store" || f.IsTest()
		}},
	{"a package that serves tests is for tests",
		func(imported string) bool {
			return strings.HasPrefix(imported, module) && strings.HasSuffix(imported, "test")
		},
		func(f File, _ string) bool { return f.IsTest() || isLab(f) }},
	{"a word does no I/O",
		func(imported string) bool { return inputOutput[imported] },
		func(f File, _ string) bool { return !isWord(f.Dir()) || f.IsTest() }},
	{"a word knows words alone",
		func(imported string) bool {
			return strings.HasPrefix(imported, module) && !isWord(strings.TrimPrefix(imported, module))
		},
		func(f File, _ string) bool { return !isWord(f.Dir()) }},
	{"fault knows no HTTP, nor anything of ours",
		func(imported string) bool { return strings.HasPrefix(imported, module) },
		func(f File, _ string) bool { return f.Dir() != "internal/fault" }},
}

var inputOutput = map[string]bool{
	"os": true, "os/exec": true, "os/signal": true, "os/user": true, "io/fs": true, "io/ioutil": true, "path/filepath": true, "bufio": true,
	"net": true, "net/http": true, "net/rpc": true, "syscall": true, "log": true, "golang.org/x/sys/unix": true, "embed": true, "plugin": true,
}

func isWord(dir string) bool {
	switch dir {
	case "internal/fault", "internal/secret", "internal/iscsi", "internal/netboot", "internal/image":
		return true
	}
	return false
}

// isLab reports whether f builds what the product as a whole is tried out in.
func isLab(f File) bool {
	return within(f.Dir(), "internal/lab") || within(f.Dir(), "internal/e2e") || within(f.Dir(), "internal/torture")
}

// side is the root of the part of the house that an import belongs to.
func side(imported string) string {
	for _, root := range []string{"internal/controlplane", "internal/agent"} {
		if within(imported, root) {
			return root
		}
	}
	return "tui"
}

// driver is the folder of the backend driver that an import belongs to.
func driver(imported string) string {
	return strings.Join(strings.SplitN(imported, "/", 5)[:4], "/")
}

func under(roots ...string) func(string) bool {
	return func(imported string) bool {
		for _, r := range roots {
			if within(imported, r) {
				return true
			}
		}
		return false
	}
}

// within reports whether dir is root or lies below it.
func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }
