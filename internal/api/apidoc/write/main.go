// Command write makes the API's pages in the folder that it is given.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/api/apidoc"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "apidoc:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("one folder is wanted, %d are given", len(args))
	}
	pages, err := apidoc.Pages(api.ControlPlaneYAML())
	if err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(args[0], name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
