package ledger

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// rowText is worker w as a row of s. What the row says that we do not know,
// comments among it, stays.
func (s *sheet) rowText(id string, change func(m *yaml.Node)) (string, error) {
	key, value := word(id), &yaml.Node{Kind: yaml.MappingNode}
	old := s.text(id)
	if old != "" {
		var doc yaml.Node
		if err := decode(yaml.NewDecoder(strings.NewReader(old)), &doc); err != nil {
			return "", fmt.Errorf("read row %s again: %w", id, err)
		}
		if pair := doc.Content[0].Content; len(pair) == 2 && pair[1].Kind == yaml.MappingNode {
			key, value = pair[0], pair[1]
		}
	}
	change(value)
	text, err := s.render(key, value)
	return text + blankEnd(old), err
}

// blankEnd is the empty lines that part a row from the next.
func blankEnd(text string) string {
	body := strings.TrimRight(text, " \t\r\n")
	_, blank, _ := strings.Cut(text[len(body):], "\n")
	return blank
}

// workerText is w as a row of s.
func (s *sheet) workerText(w *Worker) (string, error) {
	if text, ok := s.newcomer(w); ok {
		return text, nil
	}
	return s.rowText(w.ID.String(), workerFields(w))
}

// newcomer is rowText of a machine that has registered itself, the same to the
// byte: a thousand of them at once are written with one file, and the encoder
// would be a good part of what that takes. ok is false for any other row.
func (s *sheet) newcomer(w *Worker) (text string, ok bool) {
	bare := &Worker{ID: w.ID, Hostname: w.Hostname, Arch: w.Arch, State: w.State, CreatedAt: w.CreatedAt, life: w.life}
	if s.text(w.ID.String()) != "" || w.CreatedAt.IsZero() || !reflect.DeepEqual(w, bare) {
		return "", false
	}
	for _, v := range []string{w.ID.String(), w.Hostname.String(), w.Arch, string(w.State)} {
		if !plainWord.MatchString(v) || word(v).Style != 0 {
			return "", false
		}
	}
	return s.indented(w.ID.String() + ":\n" +
		"  hostname: " + w.Hostname.String() + "\n  arch: " + w.Arch + "\n  state: " + string(w.State) +
		"\n  disks: []\n  cd: null\n  created_at: \"" + w.CreatedAt.UTC().Format(time.RFC3339) + "\"\n"), true
}

// plainWord needs no quotes, whatever reads it, and no second line.
var plainWord = regexp.MustCompile(`^[a-z][a-z0-9_]*(-[a-z0-9_]+)*$`)

func workerFields(w *Worker) func(*yaml.Node) {
	return func(m *yaml.Node) {
		set(m, "hostname", word(w.Hostname.String()))
		setOrDrop(m, "arch", w.Arch)
		set(m, "state", word(string(w.State)))
		disks := &yaml.Node{Kind: yaml.SequenceNode}
		for _, d := range w.Disks {
			disks.Content = append(disks.Content, diskNode(oldDisk(m, d), d))
		}
		drop(m, "disk") // the older form
		set(m, "disks", disks)
		set(m, "cd", cdNode(lookup(m, "cd"), w.CD))
		setOrDrop(m, "default_os", w.DefaultOS.String())
		setBoot(m, w.Boot)
		setOrDrop(m, "error", w.Error)
		if created := lookup(m, "created_at"); created == nil && !w.CreatedAt.IsZero() {
			set(m, "created_at", word(w.CreatedAt.UTC().Format(time.RFC3339)))
		}
	}
}

// oldDisk finds what the row says of d already, by its IQN.
func oldDisk(m *yaml.Node, d Disk) *yaml.Node {
	var candidates []*yaml.Node
	if single := lookup(m, "disk"); single != nil {
		candidates = append(candidates, single)
	}
	if list := lookup(m, "disks"); list != nil {
		candidates = append(candidates, list.Content...)
	}
	for _, n := range candidates {
		if iqn := lookup(n, "iqn"); n.Kind == yaml.MappingNode && iqn != nil && strings.EqualFold(iqn.Value, d.IQN.String()) {
			return n
		}
	}
	return &yaml.Node{Kind: yaml.MappingNode}
}

func diskNode(n *yaml.Node, d Disk) *yaml.Node {
	set(n, "agent", word(d.Agent.String()))
	set(n, "iqn", word(d.IQN.String()))
	setOrDrop(n, "filename", d.Filename.String())
	setOrDrop(n, "backing", d.Backing)
	set(n, "os", word(d.OS.String()))
	if d.Source.Type == "" {
		return n
	}
	src := child(n, "source")
	set(src, "type", word(d.Source.Type))
	setOrDrop(src, "name", d.Source.Name)
	setOrDrop(src, "size", d.Source.Size)
	return n
}

func cdNode(old *yaml.Node, cd *CD) *yaml.Node {
	if cd == nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	if old == nil || old.Kind != yaml.MappingNode {
		old = &yaml.Node{Kind: yaml.MappingNode}
	}
	set(old, "agent", word(cd.Agent.String()))
	set(old, "iqn", word(cd.IQN.String()))
	set(old, "iso", word(cd.ISO.String()))
	setOrDrop(old, "backing", cd.Backing)
	return old
}

func setBoot(m *yaml.Node, b Boot) {
	if b.MenuDefault.IsZero() && b.MenuTimeout == nil && lookup(m, "boot") == nil {
		return
	}
	boot := child(m, "boot")
	setOrDrop(boot, "menu_default", b.MenuDefault.String())
	if b.MenuTimeout == nil {
		drop(boot, "menu_timeout")
	} else {
		set(boot, "menu_timeout", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(*b.MenuTimeout)})
	}
	if len(boot.Content) == 0 {
		drop(m, "boot")
	}
}

// set puts value under key. A scalar that says the same stays as it was
// written, and its comments with it.
func set(m *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value != key {
			continue
		}
		old := m.Content[i+1]
		if value.Kind == yaml.ScalarNode && old.Kind == yaml.ScalarNode && old.Value == value.Value && isNull(old) == isNull(value) {
			return
		}
		if old != value {
			value.LineComment = old.LineComment
		}
		m.Content[i+1] = value
		return
	}
	m.Content = append(m.Content, word(key), value)
}

func setOrDrop(m *yaml.Node, key, value string) {
	if value == "" {
		drop(m, key)
		return
	}
	set(m, key, word(value))
}

func drop(m *yaml.Node, key string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content = append(m.Content[:i], m.Content[i+2:]...)
			return
		}
	}
}

// child is the mapping under key, made when it is not there.
func child(m *yaml.Node, key string) *yaml.Node {
	n := lookup(m, key)
	if n == nil || n.Kind != yaml.MappingNode {
		n = &yaml.Node{Kind: yaml.MappingNode}
		set(m, key, n)
	}
	return n
}

// word is a text scalar. What an older YAML would take for a truth value, a
// number or a time is quoted.
func word(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	first := byte(' ')
	if s != "" {
		first = s[0] | 0x20
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		first = ' '
	}
	if first < 'a' || first > 'z' {
		n.Style = yaml.DoubleQuotedStyle
	}
	if strings.HasPrefix(s, "/") {
		n.Style = 0
	}
	return n
}
