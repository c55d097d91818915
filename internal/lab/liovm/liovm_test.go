package liovm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnArchiveIsWhatTheKernelUnpacks(t *testing.T) {
	var buf bytes.Buffer
	a := &archive{w: &buf}
	a.dir("dev")
	a.device("dev/console", 5, 1)
	a.file("init", []byte("hello"))
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	const zero = "00000000"
	want := "070701" + "00000001" + "000041ED" + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "00000004" + zero + "dev\x00" + "\x00\x00" +
		"070701" + "00000002" + "00002180" + zero + zero + "00000001" + zero + zero + zero + zero + "00000005" + "00000001" + "0000000C" + zero + "dev/console\x00" + "\x00\x00" +
		"070701" + "00000003" + "000081ED" + zero + zero + "00000001" + zero + "00000005" + zero + zero + zero + zero + "00000005" + zero + "init\x00" + "\x00" + "hello" + "\x00\x00\x00" +
		"070701" + "00000004" + zero + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "0000000B" + zero + "TRAILER!!!\x00" + "\x00\x00\x00"
	if got := buf.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestAKernelThatIsNoneIsRefused(t *testing.T) {
	image := make([]byte, 0x2000)
	whole := bytes.Clone(image)
	copy(whole[0x202:], "HdrS")
	cut := bytes.Clone(whole)
	cut[0x24f] = 1 // a payload of 16 MiB
	small := bytes.Clone(whole)
	small[0x24c] = 8
	for _, c := range []struct {
		want  string
		image []byte
	}{
		{"the kernel is no bzImage", image},
		{"the kernel is no bzImage", image[:100]},
		{"the kernel image is cut short", cut},
		{"the kernel is not packed with xz", small},
	} {
		if _, err := unpackImage(context.Background(), c.image); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestModulesAreFoundByTheirCanonicalNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/crc32c-intel.ko", "b/virtio_net.ko", "b/notes.txt"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := moduleFiles(dir)
	if err != nil || len(files) != 2 || files["crc32c_intel"] != filepath.Join(dir, "a/crc32c-intel.ko") {
		t.Errorf("modules %v, %v", files, err)
	}
	if _, err := loadOrder(files, []string{"no_such"}); err == nil || err.Error() != "the kernel package has no module no_such" {
		t.Errorf("error %v", err)
	}
	if _, err := loadOrder(files, []string{"virtio_net"}); err == nil || !strings.HasPrefix(err.Error(), "read module virtio_net: ") {
		t.Errorf("error %v", err)
	}
}
