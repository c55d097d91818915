package arch

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheTreeKeepsItsLaws(t *testing.T) {
	files, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		seen[f.Dir()] = true
	}
	for _, dir := range []string{"internal/arch", "internal/controlplane", "internal/netboot"} {
		if !seen[dir] {
			t.Errorf("%s was not read", dir)
		}
	}
	for _, b := range Check(files) {
		t.Error(b)
	}
}

func TestEveryLawCanBeBroken(t *testing.T) {
	imports := func(path string) string { return "package x\n\nimport _ \"" + path + "\"\n" }
	const own = "ipxe-all-ready/"
	for _, c := range []struct {
		name, path, source, want string // want is a part of the breach; empty when the law is kept
	}{
		{"gin in a use-case", "internal/controlplane/provision/a.go", imports("github.com/gin-gonic/gin"), "gin belongs to httpapi and httpx"},
		{"gin in a use-case's test", "internal/controlplane/provision/a_test.go", imports("github.com/gin-gonic/gin"), "gin belongs"},
		{"a part of gin in a main", "cmd/ipxe-cp/main.go", imports("github.com/gin-gonic/gin/binding"), "gin belongs"},
		{"gin in httpapi", "internal/agent/httpapi/a.go", imports("github.com/gin-gonic/gin"), ""},
		{"gin in the benchmarks", "internal/lab/bench/a.go", imports("github.com/gin-gonic/gin"), ""},
		{"gin in the lab", "internal/lab/a.go", imports("github.com/gin-gonic/gin"), "gin belongs"},
		{"gin in httpx", "internal/httpx/a.go", imports("github.com/gin-gonic/gin"), ""},
		{"resty in the tui", "tui/a.go", imports("github.com/go-resty/resty/v2"), "resty belongs to client"},
		{"resty in client", "internal/client/a.go", imports("github.com/go-resty/resty/v2"), ""},
		{"Charm in a main", "cmd/ipxe-tui/main.go", imports("github.com/charmbracelet/bubbletea"), "the Charm libraries belong to tui"},
		{"Charm in the tui", "tui/screen/workers/a.go", imports("github.com/charmbracelet/bubbletea"), ""},
		{"exec in the store", "internal/agent/store/a.go", imports("os/exec"), "programs are started by"},
		{"exec behind a build tag", "internal/agent/store/a.go", "//go:build never\n\n" + imports("os/exec"), "programs are started by"},
		{"exec in the stgt driver", "internal/agent/target/stgt/a.go", imports("os/exec"), ""},
		{"exec in a package named like the driver", "internal/agent/target/stgtx/a.go", imports("os/exec"), "programs are started by"},
		{"exec in the lab", "internal/lab/a.go", imports("os/exec"), ""},
		{"exec in a test", "internal/agent/store/a_test.go", imports("os/exec"), ""},
		{"another door to a program", "internal/agent/a.go", "package x\n\nfunc f() { os.StartProcess() }\n", "os.StartProcess is used"},
		{"the control plane names the agent", "internal/controlplane/provision/a.go", imports(own + "internal/agent/store"), "never each other"},
		{"a test of the control plane names the agent", "internal/controlplane/a_test.go", imports(own + "internal/agent"), "never each other"},
		{"the agent names the control plane", "internal/agent/a.go", imports(own + "internal/controlplane/audit"), "never each other"},
		{"the tui names the control plane", "tui/a.go", imports(own + "internal/controlplane"), "never each other"},
		{"plumbing names the control plane", "internal/httpx/a.go", imports(own + "internal/controlplane/audit"), "never each other"},
		{"the control plane names its ledger", "internal/controlplane/a.go", imports(own + "internal/controlplane/ledger"), ""},
		{"a main names its root", "cmd/ipxe-cp/main.go", imports(own + "internal/controlplane"), ""},
		{"the lab names both", "internal/e2e/a.go", imports(own + "internal/agent"), ""},
		{"a use-case names a driver", "internal/agent/export/a.go", imports(own + "internal/agent/target/stgt"), "a backend driver is named by"},
		{"the contract names a driver", "internal/agent/target/a.go", imports(own + "internal/agent/target/fake"), "a backend driver is named by"},
		{"a driver names another", "internal/agent/target/lio/a.go", imports(own + "internal/agent/target/stgt"), "a backend driver is named by"},
		{"the root names a driver", "internal/agent/a.go", imports(own + "internal/agent/target/lio"), ""},
		{"a test names a driver", "internal/agent/export/a_test.go", imports(own + "internal/agent/target/fake"), ""},
		{"a driver names a part of its own", "internal/agent/target/stgt/a.go", imports(own + "internal/agent/target/stgt/wire"), ""},
		{"a use-case takes a lock", "internal/agent/export/a.go", imports(own + "internal/onewriter"), "a lock of one writer is taken by"},
		{"the store takes its folder's lock", "internal/agent/store/a.go", imports(own + "internal/onewriter"), ""},
		{"the control plane takes its home's lock", "internal/controlplane/a.go", imports(own + "internal/onewriter"), ""},
		{"the product imports a suite", "internal/agent/a.go", imports(own + "internal/agent/target/targettest"), "for tests"},
		{"a test imports a suite", "internal/agent/target/fake/a_test.go", imports(own + "internal/agent/target/targettest"), ""},
		{"a word opens files", "internal/image/a.go", imports("os"), "a word does no I/O"},
		{"a word speaks HTTP", "internal/fault/a.go", imports("net/http"), "a word does no I/O"},
		{"a word's test opens files", "internal/image/a_test.go", imports("os"), ""},
		{"a word names the wire", "internal/netboot/a.go", imports(own + "internal/api"), "a word knows words alone"},
		{"a word names a word", "internal/netboot/a.go", imports(own + "internal/iscsi"), ""},
		{"fault names a word", "internal/fault/a.go", imports(own + "internal/iscsi"), "fault knows no HTTP"},
		{"a shell is called", "internal/agent/target/stgt/a.go", "package x\n\nfunc f() { exec.Command(\"sh\", \"-c\", cmd) }\n", "a shell is given a command"},
		{"a shell behind other arguments", "internal/lab/a.go", "package x\n\nfunc f() { run(ctx, \"ip\", \"exec\", \"/bin/bash\", \"-ec\", cmd) }\n", "a shell is given a command"},
		{"a shell in a list", "internal/agent/a.go", "package x\n\nvar args = []string{\"sh\", \"-c\"}\n", "a shell is given a command"},
		{"a flag like a shell's", "internal/agent/a.go", "package x\n\nfunc f() { exec.Command(\"tgtadm\", \"-c\", \"sh\") }\n", ""},
		{"a file is opened by a name", "internal/certs/a.go", "package x\n\nfunc f(p string) { os.ReadFile(p) }\n", "a file is opened past atomicfile"},
		{"a file of the kernel's is read", "internal/certs/a.go", "package x\n\nfunc f(pid int) { os.ReadFile(fmt.Sprintf(\"/proc/%d/status\", pid)) }\n", ""},
		{"a test opens a file", "internal/certs/a_test.go", "package x\n\nfunc f(p string) { os.Open(p) }\n", ""},
		{"an interface of six", "internal/agent/a.go", "package x\n\ntype B interface { A(); B(); C(); D(); E(); F() }\n", "the interface has 6 methods"},
		{"an interface of five", "internal/agent/a.go", "package x\n\ntype B interface { A(); B(); C(); D(); E() }\n", ""},
		{"an interface that embeds", "internal/agent/a.go", "package x\n\ntype A interface { A(); B(); C() }\n\ntype B interface { A; D(); io.ReadWriteCloser }\n", "the interface has 7 methods"},
		{"an interface without a name", "internal/agent/a.go", "package x\n\nfunc f(interface { A(); B(); C(); D(); E(); F() }) {}\n", "the interface has 6 methods"},
		{"a constraint", "internal/agent/a.go", "package x\n\ntype N interface { ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint }\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := Load(fstest.MapFS{c.path: {Data: []byte(c.source)}, "node_modules/x/a.go": {Data: []byte("no Go")}, "web/readme.md": {}})
			if err != nil {
				t.Fatal(err)
			}
			breaches := Check(files)
			switch {
			case c.want == "" && len(breaches) > 0:
				t.Fatalf("the law is kept, but: %v", breaches)
			case c.want != "" && len(breaches) == 0:
				t.Fatal("nothing was found")
			case c.want != "" && (!strings.Contains(breaches[0].String(), c.want) || !strings.HasPrefix(breaches[0].String(), c.path+":")):
				t.Fatalf("got %v, want %s", breaches, c.want)
			}
		})
	}
}

func TestAFileThatIsNoGoIsAnError(t *testing.T) {
	if _, err := Load(fstest.MapFS{"internal/a.go": {Data: []byte("no Go")}}); err == nil {
		t.Fatal("it was passed over")
	}
}
