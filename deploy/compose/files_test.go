package compose

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// stacks are the compose files, and the settings file that each is given.
var stacks = map[string]string{
	"controller.yml":  "controller.env",
	"storage.yml":     "storage.env",
	"storage.lio.yml": "storage.env",
}

type service struct {
	Image       string
	Network     string `yaml:"network_mode"`
	ReadOnly    bool   `yaml:"read_only"`
	Privileged  bool
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
	Restart     string
	EnvFile     string `yaml:"env_file"`
	Environment map[string]string
	Volumes     []struct{ Type, Source, Target string }
	Logging     struct{ Options map[string]string }
}

func services(t *testing.T, file string) map[string]service {
	t.Helper()
	var doc struct{ Services map[string]service }
	if err := yaml.Unmarshal([]byte(read(t, file)), &doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return doc.Services
}

func TestEveryServiceHasNoMoreRightsThanItNeeds(t *testing.T) {
	for file, settings := range stacks {
		for name, s := range services(t, file) {
			where := file + ", " + name
			if s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !s.ReadOnly {
				t.Errorf("%s: privileged, with capabilities of Docker's choice, or with a root that can be written", where)
			}
			if slices.Contains(s.CapAdd, "SYS_ADMIN") || slices.Contains(s.CapAdd, "SYS_MODULE") || slices.Contains(s.CapAdd, "ALL") {
				t.Errorf("%s: adds %q", where, s.CapAdd)
			}
			// File capabilities, which make dnsmasq's rootless start, end with it.
			if free := name == "dnsmasq"; free == slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
				t.Errorf("%s: no-new-privileges is %v", where, !free)
			}
			if s.Restart != "unless-stopped" || s.Network != "host" || s.Logging.Options["max-size"] == "" {
				t.Errorf("%s: restart %q, network %q, log of at most %q", where, s.Restart, s.Network, s.Logging.Options["max-size"])
			}
			if strings.HasPrefix(name, "ipxe-") && s.EnvFile != settings {
				t.Errorf("%s: env_file is %q", where, s.EnvFile)
			}
			if strings.HasSuffix(s.Image, ":latest") || !strings.Contains(s.Image, ":") {
				t.Errorf("%s: image %s", where, s.Image)
			}
			for _, v := range s.Volumes {
				if v.Type != "bind" || strings.Contains(v.Source, "docker.sock") || strings.HasSuffix(v.Target, "dhcp-hosts.conf") {
					t.Errorf("%s: mounts %+v", where, v)
				}
			}
			for variable := range s.Environment {
				if strings.HasSuffix(variable, "_TOKEN") {
					t.Errorf("%s: %s is readable by docker inspect", where, variable)
				}
			}
		}
	}
}

var assigned = regexp.MustCompile(`(?m)^#?([A-Z][A-Z0-9_]*)=`)

func namesIn(re *regexp.Regexp, text string) (names []string) {
	found := map[string]bool{}
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func TestEveryVariableOfTheComposeFilesIsExplainedWithItsDefault(t *testing.T) {
	used := regexp.MustCompile(`\$\{([A-Z_]+):-([^}]*)\}`)
	example, page := read(t, ".env.example"), read(t, "../../docs/settings.md")
	var all string
	for file := range stacks {
		all += read(t, file)
	}
	if got, want := namesIn(assigned, example), namesIn(used, all); !slices.Equal(got, want) {
		t.Errorf(".env.example names %q, the compose files %q", got, want)
	}
	for _, m := range used.FindAllStringSubmatch(all, -1) {
		if !strings.Contains(example, "\n#"+m[1]+"="+m[2]+"\n") {
			t.Errorf(".env.example does not say that %s is %s by default", m[1], m[2])
		}
		if !strings.Contains(page, "| `"+m[1]+"` |") {
			t.Errorf("%s is not in docs/settings.md", m[1])
		}
	}
}

// Every setting is either a person's choice in the settings file or fixed in the
// compose file; where programs and files are in an image is nobody's choice.
func TestEverySettingIsInTheSettingsFileOrFixed(t *testing.T) {
	documented := regexp.MustCompile("`(IPXE_[A-Z0-9_]*[A-Z0-9])`")
	cp, agent, ok := strings.Cut(read(t, "../../docs/settings.md"), "\n## ipxe-agent\n")
	if !ok {
		t.Fatal("settings.md has no chapter of the agent")
	}
	nobodys := []string{
		"IPXE_CP_AGENTS_FILE", "IPXE_CP_WORKERS_FILE", "IPXE_CP_SETTINGS_FILE", "IPXE_CP_DNSMASQ_HOSTS_FILE",
		"IPXE_CP_OPERATIONS_FILE", "IPXE_CP_TOKEN", "IPXE_CP_DNSMASQ_RELOAD", "IPXE_CP_DNSMASQ_CONTAINER",
		"IPXE_AGENT_TOKEN", "IPXE_TGTADM",
	}
	for file, chapter := range map[string]string{"controller": cp, "storage": agent} {
		known := append(namesIn(assigned, read(t, file+".env.example")), nobodys...)
		for name := range stacks {
			if strings.HasPrefix(name, file) {
				for _, s := range services(t, name) {
					known = slices.AppendSeq(known, maps.Keys(s.Environment))
				}
			}
		}
		prefix := map[string]string{"controller": "IPXE_CP_", "storage": "IPXE_"}[file]
		for _, want := range namesIn(documented, chapter) {
			if strings.HasPrefix(want, prefix) && (file == "controller" || !strings.HasPrefix(want, "IPXE_CP_")) && !slices.Contains(known, want) {
				t.Errorf("%s.env.example lacks %s", file, want)
			}
		}
		for _, name := range namesIn(assigned, read(t, file+".env.example")) {
			if strings.HasPrefix(name, "IPXE_") && !strings.Contains(chapter, "`"+name+"`") {
				t.Errorf("%s.env.example has %s, which is not in that chapter of settings.md", file, name)
			}
		}
	}
}
