// Package arch holds the laws of the house: which package may import what, how
// large an interface may be, and that nothing passes a shell. Its test reads
// every Go file of the module, those behind build tags too; it has no users.
package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the path that our own imports start with.
const module = "ipxe-all-ready/"

// File is one Go file.
type File struct {
	Path string // below the module's root, with slashes
	AST  *ast.File
	fset *token.FileSet
}

// Dir is the package's folder below the root.
func (f File) Dir() string { return path.Dir(f.Path) }

// IsTest reports whether only a test run builds the file: a _test.go file, or
// one of a package that serves tests, named so by its last syllable.
func (f File) IsTest() bool {
	return strings.HasSuffix(f.Path, "_test.go") || strings.HasSuffix(f.Dir(), "test")
}

// Breach is one place where a law does not hold.
type Breach struct {
	Path string
	Line int
	Text string
}

func (b Breach) String() string { return fmt.Sprintf("%s:%d: %s", b.Path, b.Line, b.Text) }

func (f File) breach(at ast.Node, format string, args ...any) Breach {
	return Breach{Path: f.Path, Line: f.fset.Position(at.Pos()).Line, Text: fmt.Sprintf(format, args...)}
}

// Parse reads one file from its source.
func Parse(name string, source []byte) (File, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	return File{Path: name, AST: tree, fset: fset}, err
}

// Load reads every Go file below root, whatever its build tags say.
func Load(root fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (base[0] == '.' || base == "node_modules" || base == "testdata" || base == "vendor") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || !d.Type().IsRegular() {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := Parse(name, source)
		files = append(files, f)
		return err
	})
	return files, err
}

// Check holds all laws against the files.
func Check(files []File) []Breach {
	var out []Breach
	interfaces := newInterfaces(files)
	for _, f := range files {
		out = append(out, checkImports(f)...)
		out = append(out, checkCalls(f)...)
		out = append(out, interfaces.check(f)...)
	}
	slices.SortFunc(out, func(a, b Breach) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return out
}

func checkImports(f File) []Breach {
	var out []Breach
	for _, spec := range f.AST.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser lets no such literal through
		}
		for _, law := range importLaws {
			if law.about(imported) && !law.allows(f, strings.TrimPrefix(imported, module)) {
				out = append(out, f.breach(spec, "%s is imported; %s", imported, law.text))
			}
		}
	}
	return out
}
