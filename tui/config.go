package tui

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/secret"
	"ipxe-all-ready/tui/i18n"
)

// Settings say where the control plane is and how to look. A flag beats the
// environment, which beats the file.
type Settings struct {
	URL         string
	Token       secret.Text
	Lang        i18n.Lang
	ShowVersion bool
}

// file is ~/.config/ipxe-tui/config.yml:
//
//	url: http://192.168.80.1:4839
//	token_file: /etc/ipxe/token
//	lang: zh
type file struct {
	URL       string `yaml:"url"`
	TokenFile string `yaml:"token_file"`
	Lang      string `yaml:"lang"`
}

const defaultURL = "http://127.0.0.1:4839"

// ReadSettings reads the command line, the environment and the file.
func ReadSettings(args []string, env func(string) string, out io.Writer) (Settings, error) {
	f, err := readFile(env)
	if err != nil {
		return Settings{}, err
	}
	set := flag.NewFlagSet("ipxe-tui", flag.ContinueOnError)
	set.SetOutput(out)
	address := set.String("url", first(env("IPXE_CP_URL"), f.URL, defaultURL), "where the control plane is")
	tokenFile := set.String("token-file", "", "file with its token (or IPXE_CP_TOKEN)")
	lang := set.String("lang", first(f.Lang, env("LC_ALL"), env("LC_MESSAGES"), env("LANG")), "en or zh")
	version := set.Bool("version", false, "print the version and exit")
	if err := set.Parse(args); err != nil {
		return Settings{}, err
	}
	if set.NArg() > 0 {
		return Settings{}, fmt.Errorf("%q is no option; automation is better done with the REST API", set.Arg(0))
	}
	s := Settings{ShowVersion: *version}
	if s.URL, err = checkURL(*address); err != nil {
		return Settings{}, err
	}
	if s.Lang, err = checkLang(set, *lang); err != nil {
		return Settings{}, err
	}
	s.Token, err = token(*tokenFile, env("IPXE_CP_TOKEN"), f.TokenFile)
	return s, err
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func readFile(env func(string) string) (file, error) {
	dir := env("XDG_CONFIG_HOME")
	if dir == "" && env("HOME") != "" {
		dir = filepath.Join(env("HOME"), ".config")
	}
	var f file
	if dir == "" {
		return f, nil
	}
	path := filepath.Join(dir, "ipxe-tui", "config.yml")
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("read settings: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return f, fmt.Errorf("read settings: %s: %w", path, err)
	}
	return f, nil
}

func checkURL(s string) (string, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return "", fmt.Errorf("--url: %q is no http(s)://host:port", s)
	}
	return strings.TrimRight(s, "/"), nil
}

// checkLang refuses what a person asked for and nobody speaks; a locale of the
// environment that is neither is English.
func checkLang(set *flag.FlagSet, s string) (i18n.Lang, error) {
	lang, known := i18n.Parse(s)
	asked := false
	set.Visit(func(f *flag.Flag) { asked = asked || f.Name == "lang" })
	if asked && !known {
		return lang, fmt.Errorf("--lang: %q is neither en nor zh", s)
	}
	return lang, nil
}

func token(flagFile, fromEnv, configFile string) (secret.Text, error) {
	switch {
	case flagFile != "":
		return client.ReadToken(flagFile)
	case fromEnv != "":
		return secret.New(fromEnv), nil
	case configFile != "":
		return client.ReadToken(configFile)
	}
	return secret.Text{}, nil
}
