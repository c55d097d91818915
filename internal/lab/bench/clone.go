package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/image"
)

const (
	masterName = "ubuntu_tpl_24.04.img"
	masterSize = 10 << 30
	masterData = 1 << 30
	dataPieces = 256 // the data lies in so many places
)

// volume is a file system on a loop device, with a master on it.
type volume struct {
	dir   string
	store *store.Store
}

// mount makes one; end takes it away again.
func (b *bench) mount(mkfs ...string) (v *volume, end func() error, err error) {
	top, err := b.folder("volume")
	if err != nil {
		return nil, nil, err
	}
	device, dir := filepath.Join(top, "device"), filepath.Join(top, "mnt")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(device, nil, 0o600), os.Truncate(device, 16<<30)); err != nil {
		return nil, nil, err
	}
	for _, args := range [][]string{append(mkfs, device), {"mount", "-o", "loop", device, dir}} {
		if out, err := exec.CommandContext(b.ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("%q: %w: %s", args, err, out)
		}
	}
	end = func() error { return errors.Join(unmount(dir), os.RemoveAll(top)) }
	images := filepath.Join(dir, "images")
	if err := errors.Join(os.Mkdir(images, 0o700), makeMaster(filepath.Join(images, masterName))); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	v = &volume{dir: images, store: store.New(store.Options{Dir: images})}
	if _, err := v.store.Attach(); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return v, end, nil
}

// unmount is a lazy one: the store keeps its folder open as long as we run.
func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

func makeMaster(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	piece := make([]byte, masterData/dataPieces)
	for i := range piece {
		piece[i] = byte(i%251 + 1)
	}
	err = f.Truncate(masterSize)
	for i := range int64(dataPieces) {
		if err == nil {
			_, err = f.WriteAt(piece, i*(masterSize/dataPieces))
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// ours clones as the agent does. The disk is deleted outside of what is timed.
func (v *volume) ours(name image.Name) error {
	master, err := image.ParseMaster(masterName)
	if err != nil {
		return err
	}
	_, err = v.store.Clone(context.Background(), master, name, nil)
	return err
}

// cp copies as a person does who wants to find it after a power failure.
func (v *volume) cp(mode, name string) error {
	path := filepath.Join(v.dir, name)
	if out, err := exec.Command("cp", mode, filepath.Join(v.dir, masterName), path).CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), syncFolder(v.dir))
}

// warm takes the master's data into memory: ours leaves it as cold as it was, cp
// does not, and the next one would have the gain or the loss.
func (v *volume) warm() error {
	f, err := os.Open(filepath.Join(v.dir, masterName))
	if err != nil {
		return err
	}
	defer f.Close()
	piece := make([]byte, masterData/dataPieces)
	for i := range int64(dataPieces) {
		if _, err := f.ReadAt(piece, i*(masterSize/dataPieces)); err != nil {
			return err
		}
	}
	return nil
}

// turns clones by both ways, the first one changing, and tells the blocks of the last.
func (v *volume) turns(n int, mode string) (ours, theirs series, blocks [2]int64, err error) {
	name, err := image.ParseDisk("worker-00001.ubuntu.img")
	if err != nil {
		return nil, nil, blocks, err
	}
	const copied = "by-cp.img"
	for turn := range n {
		pair := []func() error{
			func() error { return ours.time(func() error { return v.ours(name) }) },
			func() error { return theirs.time(func() error { return v.cp(mode, copied) }) },
		}
		if turn%2 == 1 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		for _, do := range pair {
			if err := errors.Join(v.warm(), do()); err != nil {
				return nil, nil, blocks, err
			}
		}
		for i, file := range []string{name.String(), copied} {
			path := filepath.Join(v.dir, file)
			var st syscall.Stat_t
			if err := errors.Join(syscall.Stat(path, &st), os.Remove(path), syncFolder(v.dir)); err != nil {
				return nil, nil, blocks, err
			}
			blocks[i] = st.Blocks
		}
	}
	return ours, theirs, blocks, nil
}

func reflink(b *bench) (out []result, err error) {
	for _, fs := range []struct {
		name string
		mkfs []string
	}{{"btrfs", []string{"mkfs.btrfs", "-q"}}, {"xfs", []string{"mkfs.xfs", "-q", "-m", "reflink=1"}}} {
		v, end, err := b.mount(fs.mkfs...)
		if err != nil {
			return out, err
		}
		ours, theirs, _, err := v.turns(25, "--reflink=always")
		if err := errors.Join(err, end()); err != nil {
			return out, err
		}
		out = append(out, atMost("clone by reflink of a 10 GiB image on "+fs.name+", against `cp --reflink=always` and a sync of file and folder",
			ratio(ours, theirs), 1.5, "%s against %s", seconds(ours.median()), seconds(theirs.median())))
	}
	return out, nil
}

func holeCopy(b *bench) ([]result, error) {
	v, end, err := b.mount("mkfs.ext4", "-q")
	if err != nil {
		return nil, err
	}
	ours, theirs, blocks, err := v.turns(5, "--sparse=auto")
	if err := errors.Join(err, end()); err != nil {
		return nil, err
	}
	return []result{
		atMost("copy of a 10 GiB image with 1 GiB of data on ext4, against `cp --sparse=auto` and a sync of file and folder",
			ratio(ours, theirs), 1.2, "%s against %s", seconds(ours.median()), seconds(theirs.median())),
		atMost("the same, blocks used", float64(blocks[0])/float64(blocks[1]), 1, "%.1f MiB against %.1f MiB", float64(blocks[0])/2048, float64(blocks[1])/2048),
	}, nil
}
