package tui

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/secret"
	"ipxe-all-ready/internal/secretfile"
	"ipxe-all-ready/tui/i18n"
)

// Settings say where the control plane is and how to look. A flag beats the
// environment, which beats the file.
type Settings struct {
	URL         string
	Token       secret.Text
	CA          string // PEM file of those who vouch for it, beside the system's; "": none
	Lang        i18n.Lang
	ShowVersion bool
	Doubt       string // what a person should know of where the token stands; "": nothing
}

// file is ~/.config/ipxe-tui/config.yml:
//
//	url: http://192.168.80.1:4839
//	token_file: /etc/ipxe/token
//	ca: /etc/ipxe/ca.pem
//	lang: zh
type file struct {
	URL       string `yaml:"url"`
	TokenFile string `yaml:"token_file"`
	CA        string `yaml:"ca"`
	Lang      string `yaml:"lang"`
}

// longestFile is what the file of settings may hold, in bytes.
const longestFile = 1 << 20

const defaultURL = "http://127.0.0.1:4839"

const usage = `Usage: ipxe-tui [options]

  --url URL          where the control plane is (IPXE_CP_URL; default %s)
  --token-file FILE  file with its token (or IPXE_CP_TOKEN)
  --ca FILE          certificates in PEM to believe beside the system's (IPXE_CP_CA)
  --lang en|zh       language (default: from LANG)
  --version          print the version and exit
  --help             print this and exit

They may also stand in ~/.config/ipxe-tui/config.yml as url, token_file, ca and lang.
`

// ReadSettings reads the command line, the environment and the file. Who asks
// for help gets it on out, and flag.ErrHelp.
func ReadSettings(args []string, env func(string) string, out io.Writer) (Settings, error) {
	set := flag.NewFlagSet("ipxe-tui", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	address := set.String("url", "", "")
	tokenFile := set.String("token-file", "", "")
	ca := set.String("ca", "", "")
	lang := set.String("lang", "", "")
	version := set.Bool("version", false, "")
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(out, usage, defaultURL)
		return Settings{}, err
	} else if err != nil {
		return Settings{}, fmt.Errorf("%w (--help shows the options)", err)
	}
	if set.NArg() > 0 {
		return Settings{}, fmt.Errorf("%q is no option; automation is better done with the REST API", set.Arg(0))
	}
	f, path, err := readFile(env)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{ShowVersion: *version}
	from := origin{{"--url", *address}, {"IPXE_CP_URL", env("IPXE_CP_URL")}, {path + ": url", f.URL}, {"", defaultURL}}
	if s.URL, err = checkURL(from.first()); err != nil {
		return Settings{}, err
	}
	_, s.CA = origin{{"", *ca}, {"", env("IPXE_CP_CA")}, {"", f.CA}}.first()
	from = origin{{"--lang", *lang}, {path + ": lang", f.Lang}, {"", first(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))}}
	if s.Lang, err = checkLang(from.first()); err != nil {
		return Settings{}, err
	}
	t, err := token(*tokenFile, env("IPXE_CP_TOKEN"), f.TokenFile, path)
	s.Token, s.Doubt = t.Text, t.Doubt
	return s, err
}

// origin is the places where a setting may stand, with what stands there.
type origin [][2]string

func (o origin) first() (place, value string) {
	for _, at := range o {
		if at[1] != "" {
			return at[0], at[1]
		}
	}
	return "", ""
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func readFile(env func(string) string) (f file, path string, err error) {
	dir := env("XDG_CONFIG_HOME")
	if dir == "" && env("HOME") != "" {
		dir = filepath.Join(env("HOME"), ".config")
	}
	if dir == "" {
		return f, "", nil
	}
	path = filepath.Join(dir, "ipxe-tui", "config.yml")
	b, err := atomicfile.ReadFile(path, longestFile)
	if errors.Is(err, os.ErrNotExist) {
		return f, path, nil
	}
	if err != nil {
		return f, path, fmt.Errorf("read settings: %w", err)
	}
	if err := f.parse(b); err != nil {
		return f, path, fmt.Errorf("%s: %w", path, err)
	}
	return f, path, nil
}

// parse reads the fields one by one, so that what is wrong is said of one.
func (f *file) parse(b []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return fmt.Errorf("this is no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: lines of the form \"url: http://host:4839\" are wanted", root.Line)
	}
	fields := map[string]*string{"url": &f.URL, "token_file": &f.TokenFile, "ca": &f.CA, "lang": &f.Lang}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, value := root.Content[i], root.Content[i+1]
		to, known := fields[name.Value]
		switch {
		case !known:
			return fmt.Errorf("line %d: there is no field %q; fields: url, token_file, ca, lang", name.Line, name.Value)
		case value.Kind != yaml.ScalarNode:
			return fmt.Errorf("line %d: %s must be one text", value.Line, name.Value)
		case value.Tag != "!!null":
			*to = value.Value
		}
	}
	return nil
}

func checkURL(place, s string) (string, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return "", fmt.Errorf("%s: %q is no http(s)://host:port", place, s)
	}
	return strings.TrimRight(s, "/"), nil
}

// checkLang refuses what a person asked for and nobody speaks; a locale of the
// environment that is neither is English.
func checkLang(place, s string) (i18n.Lang, error) {
	lang, known := i18n.Parse(s)
	if place != "" && !known {
		return lang, fmt.Errorf("%s: %q is neither en nor zh", place, s)
	}
	return lang, nil
}

func token(flagFile, fromEnv, configFile, config string) (t secretfile.Token, err error) {
	switch {
	case flagFile != "":
		if t, err = secretfile.ReadToken(flagFile); err != nil {
			return t, fmt.Errorf("--token-file: %w", err)
		}
	case fromEnv != "":
		if !secretfile.Carried(fromEnv) {
			return t, errors.New("IPXE_CP_TOKEN holds white space or another character that an HTTP header cannot carry")
		}
		t.Text = secret.New(fromEnv)
	case configFile != "":
		if t, err = secretfile.ReadToken(configFile); err != nil {
			return t, fmt.Errorf("%s: token_file: %w", config, err)
		}
	}
	return t, nil
}
