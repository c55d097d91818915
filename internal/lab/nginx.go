package lab

import (
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// NginxPort is where the shipped configuration serves console and files.
const NginxPort = 4838

// NginxProgram is one nginx with its njs module.
type NginxProgram struct {
	Command   []string // the program, after what has to start it
	Modules   string   // folder of ngx_http_js_module.so
	MimeTypes string
	Main      string // an nginx.conf to run instead of the shipped one
}

// DebianNginx is the nginx of this host.
var DebianNginx = NginxProgram{Command: []string{"nginx"}, Modules: nginxModules, MimeTypes: "/etc/nginx/mime.types"}

// NginxFolders are what nginx serves. Its workers read them as nobody.
type NginxFolders struct {
	Console, Public, TFTP string

	// HTTP is added to the http block: what a test wants as default there.
	HTTP string
}

// Nginx is the web server, run with the shipped configuration.
type Nginx struct {
	*Process
	Dir     string // its configuration, cache and access.log
	program NginxProgram
	host    *Host
}

// StartNginx runs nginx on h. The configuration is deploy/nginx of the checkout
// with nothing but the names of folders changed; so it serves port 4838 of every
// address and looks for the control plane at 127.0.0.1:4839.
func (h *Host) StartNginx(program NginxProgram, folders NginxFolders) (*Nginx, error) {
	if err := need(program.Command[0], filepath.Join(program.Modules, nginxJS)); err != nil {
		return nil, err
	}
	n := &Nginx{Dir: h.lab.Path("nginx"), program: program, host: h}
	if err := n.configure(program, folders); err != nil {
		return nil, fmt.Errorf("configure nginx: %w", err)
	}
	args := n.args("")
	var err error
	if n.Process, err = h.Start("nginx", nil, args[0], args[1:]...); err != nil {
		return nil, err
	}
	return n, Poll(Patience, func() error {
		if how, ended := n.Exited(); ended {
			return fmt.Errorf("start nginx: it ended: %s\n%s", how, n.Log.Tail(10))
		}
		return h.Reachable(netip.AddrPortFrom(h.Addr, NginxPort))
	})
}

func (n *Nginx) args(option string) []string {
	args := append(slices.Clone(n.program.Command), "-p", n.Dir+"/", "-e", "stderr", "-c", filepath.Join(n.Dir, "nginx.conf"),
		"-g", "daemon off; error_log stderr warn; pid "+filepath.Join(n.Dir, "nginx.pid")+";")
	if option != "" {
		args = append(args, option)
	}
	return args
}

// Check runs the program again with -t, -T or -v, and returns what it says of
// its configuration or itself.
func (n *Nginx) Check(option string) (string, error) {
	args := n.args(option)
	// It tries the ports, too, and so has to be in the host's network.
	out, err := exec.Command("ip", append([]string{"netns", "exec", n.host.ns}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("nginx %s: %w: %s", option, err, out)
	}
	return string(out), nil
}

func (n *Nginx) configure(program NginxProgram, folders NginxFolders) error {
	root, err := Root()
	if err != nil {
		return err
	}
	if err := CopyTree(n.Dir, filepath.Join(root, "deploy", "nginx")); err != nil {
		return err
	}
	if err := copyFile(filepath.Join(n.Dir, "mime.types"), program.MimeTypes); err != nil {
		return err
	}
	main := filepath.Join(n.Dir, "nginx.conf")
	if program.Main != "" {
		err = copyFile(main, program.Main)
	} else {
		err = replaceOnce(main, nginxModules, program.Modules)
	}
	if err != nil {
		return err
	}
	const home = "/srv/ipxe-all-ready/"
	if err := replaceOnce(filepath.Join(n.Dir, "conf.d", "ipxe-all-ready.conf"),
		home+"console;", folders.Console+";", home+"public;", folders.Public+";", home+"tftp;", folders.TFTP+";",
		"/var/cache/ipxe-all-ready ", filepath.Join(n.Dir, "cache")+" "); err != nil {
		return err
	}
	var places strings.Builder
	fmt.Fprintf(&places, "access_log %s;\n", filepath.Join(n.Dir, "access.log"))
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&places, "%s_temp_path %s;\n", of, filepath.Join(n.Dir, "temp-"+of))
	}
	places.WriteString(folders.HTTP)
	return os.WriteFile(filepath.Join(n.Dir, "conf.d", "lab.conf"), []byte(places.String()), 0o644)
}

// replaceOnce replaces texts that the file has, each exactly once.
func replaceOnce(file string, oldnew ...string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for i := 0; i < len(oldnew); i += 2 {
		if n := strings.Count(string(b), oldnew[i]); n != 1 {
			return fmt.Errorf("%s has %q %d times, not once", file, oldnew[i], n)
		}
	}
	return os.WriteFile(file, []byte(strings.NewReplacer(oldnew...).Replace(string(b))), 0o644)
}

// CopyTree copies a folder of plain files, readable by all.
func CopyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		return copyFile(filepath.Join(to, rel), path)
	})
}
