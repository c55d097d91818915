package compose

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile, its lines joined.
type instruction struct{ name, rest string }

func dockerfiles(t *testing.T) map[string][]instruction {
	t.Helper()
	names, err := filepath.Glob("../docker/*/Dockerfile")
	if err != nil || len(names) != 4 {
		t.Fatalf("%d Dockerfiles, %v", len(names), err)
	}
	all := map[string][]instruction{}
	for _, name := range names {
		all[filepath.Base(filepath.Dir(name))] = parse(read(t, name))
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func parse(text string) (list []instruction) {
	text = regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text, "")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			list = append(list, instruction{name, strings.Join(strings.Fields(rest), " ")})
		}
	}
	return list
}

func TestEveryImageKeepsTheRules(t *testing.T) {
	base := regexp.MustCompile(`^(scratch|[a-z]+:[0-9a-z.]*-?(bookworm|bookworm-slim))( AS [a-z]+)?$`)
	for name, list := range dockerfiles(t) {
		last := map[string]string{} // of the final stage
		var labels string
		for _, i := range list {
			switch i.name {
			case "FROM":
				last, labels = map[string]string{}, ""
				if !base.MatchString(i.rest) {
					t.Errorf("%s: FROM %s: not a release of Debian 12 by name", name, i.rest)
				}
			case "LABEL":
				labels += i.rest
			case "ADD":
				t.Errorf("%s: ADD fetches and unpacks by itself; COPY does not", name)
			case "RUN":
				checkRun(t, name, i.rest)
			case "ARG", "ENV":
				if regexp.MustCompile(`(?i)token|secret|password`).MatchString(i.rest) {
					t.Errorf("%s: %s %s: it stays readable in the image", name, i.name, i.rest)
				}
			}
			last[i.name] = i.rest
		}
		for _, want := range []string{"USER", "HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT"} {
			if last[want] == "" {
				t.Errorf("%s: the image has no %s", name, want)
			}
		}
		if !strings.HasPrefix(last["ENTRYPOINT"], "[") {
			t.Errorf("%s: a shell stands between the engine's signals and the program", name)
		}
		// tgtd and the kernel's target tree want root.
		if root := last["USER"] == "root"; root != (name == "ipxe-agent") {
			t.Errorf("%s runs as %s", name, last["USER"])
		}
		for _, want := range []string{"title", "description", "version", "revision"} {
			if !strings.Contains(labels, "org.opencontainers.image."+want+"=") {
				t.Errorf("%s: the image has no label %s", name, want)
			}
		}
	}
}

func checkRun(t *testing.T, name, command string) {
	t.Helper()
	if strings.Contains(command, "apt-get install") &&
		(!strings.Contains(command, "apt-get update && apt-get install --yes --no-install-recommends ")) {
		t.Errorf("%s: RUN %s: with old lists, or more than is asked for", name, command)
	}
	if regexp.MustCompile(`\b(curl|wget|sudo)\b`).MatchString(command) {
		t.Errorf("%s: RUN %s", name, command)
	}
}

func TestBothProgramsAreBuiltByTheSameWords(t *testing.T) {
	stage := func(name string) string {
		_, rest, _ := strings.Cut(read(t, filepath.Join("..", "docker", name, "Dockerfile")), "\nFROM ")
		first, _, _ := strings.Cut(rest, "\nFROM ")
		return first
	}
	if stage("ipxe-cp") != stage("ipxe-agent") {
		t.Error("the build stages differ: nothing of one can be reused for the other")
	}
}

func TestTheImagesAreBuiltWithTheReleasesThatTheProjectUses(t *testing.T) {
	m := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindStringSubmatch(read(t, "../../go.mod"))
	if m == nil || !strings.Contains(read(t, "../docker/ipxe-cp/Dockerfile"), "FROM golang:"+m[1]+"-bookworm ") {
		t.Errorf("go.mod wants Go %v, and the image another one", m)
	}
}
