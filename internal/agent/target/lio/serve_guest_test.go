//go:build liovm_guest

package lio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// TestServe is no test: it lets those outside of the guest use the driver, until
// the guest is switched off. PUT makes and exports an image, GET tells how much
// of it is allocated.
func TestServe(t *testing.T) {
	b := New(Options{Sync: os.Getenv("SYNC") != ""})
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /disks/{iqn}", answer(func(r *http.Request) (any, error) {
		q, file, err := diskOf(r)
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseInt(r.FormValue("size"), 10, 64)
		if err != nil {
			return nil, err
		}
		if err := makeImage(file, size); err != nil {
			return nil, err
		}
		only, _ := iscsi.ParseIQN(r.FormValue("initiator")) // zero without one
		e := target.Export{IQN: q, Backing: file, Initiator: only}
		return e.Serial(), b.Ensure(r.Context(), []target.Export{e})[0].Err
	}))
	mux.HandleFunc("GET /disks/{iqn}", answer(func(r *http.Request) (any, error) {
		_, file, err := diskOf(r)
		if err != nil {
			return nil, err
		}
		unix.Sync() // delayed allocation
		var st unix.Stat_t
		return &st.Blocks, unix.Stat(file, &st)
	}))
	mux.HandleFunc("GET /targets", answer(func(r *http.Request) (any, error) { return b.List(r.Context()) }))
	t.Fatal(http.ListenAndServe(":80", mux))
}

func diskOf(r *http.Request) (iscsi.IQN, string, error) {
	q, err := iscsi.ParseIQN(r.PathValue("iqn"))
	return q, filepath.Join(os.Getenv("IMAGES"), q.Suffix()+".img"), err
}

func makeImage(file string, size int64) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

func answer(do func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := do(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if err := json.NewEncoder(w).Encode(v); err != nil {
			fmt.Println("answer:", err)
		}
	}
}
