package arch

import "go/ast"

// maxMethods is how many methods an interface may have, embedded ones included.
const maxMethods = 5

// large are the interfaces of others whose embedding counts for more than one.
var large = map[string]int{
	"io.ReadWriter": 2, "io.ReadCloser": 2, "io.WriteCloser": 2, "io.ReadSeeker": 2, "io.WriteSeeker": 2, "io.ReadWriteCloser": 3, "io.ReadSeekCloser": 3, "io.ReadWriteSeeker": 3,
	"fs.File": 3, "fs.FileInfo": 6, "fs.DirEntry": 4, "context.Context": 4, "net.Conn": 8, "net.Listener": 3, "http.ResponseWriter": 3, "slog.Handler": 4,
	"heap.Interface": 5, "sort.Interface": 3, "tea.Model": 3, "list.Item": 1,
}

// interfaces finds a named interface of a package, so that embedding hides nothing.
type interfaces map[string]*ast.InterfaceType // by folder, a space and the name

func newInterfaces(files []File) interfaces {
	x := interfaces{}
	for _, f := range files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if t, ok := spec.Type.(*ast.InterfaceType); ok {
					x[f.Dir()+" "+spec.Name.Name] = t
				}
			}
			return true
		})
	}
	return x
}

func (x interfaces) check(f File) []Breach {
	var out []Breach
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if t, ok := n.(*ast.InterfaceType); ok {
			if count := x.methods(f.Dir(), t, map[*ast.InterfaceType]bool{}); count > maxMethods {
				out = append(out, f.breach(t, "the interface has %d methods; %d is the most", count, maxMethods))
			}
		}
		return true
	})
	return out
}

func (x interfaces) methods(dir string, t *ast.InterfaceType, seen map[*ast.InterfaceType]bool) (count int) {
	if seen[t] {
		return 0
	}
	seen[t] = true
	for _, m := range t.Methods.List {
		switch e := m.Type.(type) {
		case *ast.FuncType:
			count += len(m.Names)
		case *ast.Ident:
			if inner := x[dir+" "+e.Name]; inner != nil {
				count += x.methods(dir, inner, seen)
			} else if e.Name == "error" {
				count++
			}
		case *ast.InterfaceType:
			count += x.methods(dir, e, seen)
		case *ast.SelectorExpr:
			count += max(1, large[selector(e)])
		}
	}
	return count
}
