package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/stgt"
	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/selfcheck"
)

// checkPatience is how long an iSCSI server may take to answer a check.
const checkPatience = 5 * time.Second

// Check looks at what a start would: variables, image folder, what is kept of it,
// iSCSI server and port. It changes nothing and needs no agent to be stopped.
func Check(ctx context.Context, environ []string) selfcheck.List {
	env := selfcheck.NewEnviron(environ)
	o, err := FromEnv(env.Lookup)
	c := &check{o: o}
	wrong := c.Variables(err, o.Doubts)
	c.Parts(wrong, []selfcheck.Part{
		{What: "image folder", Needs: []string{"IPXE_DISK_DIR", "IPXE_LOG_FILE", "IPXE_MIN_FREE", "IPXE_BACKEND"}, Look: c.folder},
		{What: "what is kept beside it", Needs: []string{"IPXE_DISK_DIR", "IPXE_LOG_FILE"}, Look: c.records},
		{What: "certificates", Needs: []string{"IPXE_AGENT_TLS_*"}, Look: c.certificates},
		{What: "iSCSI server", Needs: []string{"IPXE_BACKEND", "IPXE_LIO_*", "IPXE_TGTD", "IPXE_TGTADM", "IPXE_TGT_*"}, Look: func() { c.server(ctx) }},
		{What: "port", Needs: []string{"IPXE_AGENT_LISTEN"}, Look: c.port},
	})
	c.Strange(env, ours)
	return c.List
}

// ours are not those of a control plane on the same host.
func ours(variable string) bool {
	return strings.HasPrefix(variable, "IPXE_") && !strings.HasPrefix(variable, "IPXE_CP_")
}

type check struct {
	selfcheck.List
	o      Options
	holder string // of the image folder
}

func (c *check) folder() {
	dir := c.o.DiskDir
	in := store.New(store.Options{Dir: dir, Record: c.o.Folders, MinFree: c.o.MinFree}).Inspect()
	if in.Folder != nil {
		c.Add(selfcheck.Fault, dir, "mount its file system, or make the folder at a new node", "%s", fault.Sentence(in.Folder))
		return
	}
	c.holder = in.Holder
	if in.Write != nil {
		c.Add(selfcheck.Fault, dir, "is it mounted read-only, or missing among ReadWritePaths= of the unit?", "the image folder cannot be written: %v", in.Write)
	} else if !in.Reflinks() {
		c.Add(selfcheck.Note, dir, "btrfs, or XFS made with reflink, clones at once and takes no space", "a clone: %s", cmp.Or(in.Clone, "what it is cannot be told here without leaving a file"))
	}
	if in.Space.Free < max(1, in.Space.Reserve) {
		c.Add(selfcheck.Warning, dir, "make room, or lower IPXE_MIN_FREE", "%d bytes are free and %d are kept in reserve: no new disk is made", in.Space.Free, in.Space.Reserve)
	}
	for _, i := range in.Images {
		err := i.Fault
		if err == nil && !i.Name.IsCD() && !i.Name.IsMaster() {
			err = store.Fits(i.File, i.Size)
		}
		if err != nil {
			c.Add(selfcheck.Warning, filepath.Join(dir, i.File), "rename, mend or remove it", "it is not exported: %s", fault.Sentence(err))
		}
		if i.Name.IsCD() && c.o.Backend == backendLIO {
			c.Add(selfcheck.Note, filepath.Join(dir, i.File), "", "it is not exported: the kernel's target has no CDs")
		}
	}
}

// alone tells whose the folder is. Where nobody has our port, it is not ours.
func (c *check) alone(listening bool) {
	lock := filepath.Join(c.o.DiskDir, store.LockFile)
	switch {
	case c.holder == "":
	case listening:
		c.Add(selfcheck.Note, lock, "", "a storage agent, process %s, works in the image folder", c.holder)
	default:
		c.Add(selfcheck.Warning, lock, "stop it, or give each a folder of its own: this one would wait for its end",
			"another storage agent, process %s, works in the image folder, and nobody listens on %s", c.holder, c.o.Listen)
	}
}

// mostRecord is above what either record holds, in bytes.
const mostRecord = 256 << 20

// records are what the agent keeps beside its operation log.
func (c *check) records() {
	c.Folder(c.o.LogFile)
	c.Writable(c.o.LogFile)
	c.Regular(selfcheck.Fault, c.o.LogFile, "what is asked of this agent is not logged")
	for _, path := range []string{c.o.Folders, c.o.Served} {
		var head struct{ Schema int }
		text, err := atomicfile.ReadFile(path, mostRecord)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			c.Add(selfcheck.Fault, path, "give it to the user that the agent runs as", "it cannot be read: %v", err)
		case json.Unmarshal(text, &head) == nil && head.Schema > 1:
			c.Add(selfcheck.Fault, path, "install the newer release again, or remove the file while the image folder is mounted; it is made anew", "schema %d is newer than this agent, which knows 1: a newer release wrote the file", head.Schema)
		case !json.Valid(text):
			c.Add(selfcheck.Fault, path, "remove it while the image folder is mounted; it is made anew", "it is no JSON: what is known of image folders and targets is lost")
		}
	}
}

func (c *check) certificates() {
	if c.o.TLSCert == "" {
		return
	}
	shown, err := certs.NewServer(c.o.TLSCert, c.o.TLSKey, c.o.CallCA, slog.New(slog.DiscardHandler))
	c.Certificates("IPXE_AGENT_TLS_CERT, IPXE_AGENT_TLS_CLIENT_CA", err, shown)
}

func (c *check) port() {
	err := selfcheck.Port(c.o.Listen)
	if err != nil {
		c.Add(selfcheck.Warning, "IPXE_AGENT_LISTEN", "right if the agent runs already; else ss -ltnp tells who has it", "%s cannot be listened on: %v", c.o.Listen, err)
	}
	c.alone(err != nil)
}

func (c *check) server(ctx context.Context) {
	if c.o.Backend == backendLIO {
		c.lio()
		return
	}
	c.tgtd(ctx)
}

func (c *check) lio() {
	if _, err := os.Stat(filepath.Join(c.o.LIORoot, "core")); err != nil {
		c.Add(selfcheck.Fault, c.o.LIORoot, "modprobe -a configfs target_core_mod target_core_file iscsi_target_mod; the drop-in lio.conf does it at each start", "the kernel's target is not there: is configfs mounted and target_core_mod loaded?")
	}
}

func (c *check) tgtd(ctx context.Context) {
	if err := stgt.Installed(c.o.Tgtadm); err != nil {
		c.Add(selfcheck.Fault, "IPXE_TGTADM", "apt-get install tgt", "%v", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	b, _ := driver(c.o, slog.New(slog.DiscardHandler), metrics.New())
	_, err := b.Ping(ctx)
	switch {
	case err == nil:
	case !c.o.Managed:
		c.Add(selfcheck.Fault, "IPXE_TGTD", "systemctl start tgt, or IPXE_TGTD=managed", "%s", fault.Sentence(err))
	case fault.CodeOf(err) == stgt.CodeDown:
		c.unborn()
	default:
		c.Add(selfcheck.Fault, "IPXE_TGTD", "is it another tgtd? Stop it, or choose another IPXE_TGT_CONTROL_PORT", "%s", fault.Sentence(err))
	}
}

// unborn is a managed tgtd that the agent has yet to start.
func (c *check) unborn() {
	if err := stgt.Installed("tgtd"); err != nil {
		c.Add(selfcheck.Fault, "IPXE_TGTD", "apt-get install tgt", "%v", err)
	}
	portal := cmp.Or(c.o.Portal, ":3260")
	if err := selfcheck.Port(portal); err != nil {
		c.Add(selfcheck.Fault, "IPXE_TGT_PORTAL", "another iSCSI server has it: systemctl disable --now tgt", "tgtd could not serve %s: %v", portal, err)
	}
}
