package keys

// The scopes.
const (
	Global     Scope = "global"
	Rows       Scope = "rows"
	Marks      Scope = "marks"
	Overview   Scope = "overview"
	Workers    Scope = "workers"
	Worker     Scope = "worker"
	Batch      Scope = "batch"
	Agents     Scope = "agents"
	LUNs       Scope = "luns"
	Operations Scope = "operations"
	Tasks      Scope = "tasks"
	Task       Scope = "task"
	Reconcile  Scope = "reconcile"
	Form       Scope = "form"
	Pick       Scope = "pick"
	Reader     Scope = "reader"
)

// Scopes is their order in help and documentation.
var Scopes = []Scope{Global, Rows, Marks, Overview, Workers, Worker, Batch, Agents, LUNs, Operations, Tasks, Task, Reconcile, Form, Pick, Reader}

// The actions.
const (
	Quit      Action = "quit"
	Suspend   Action = "suspend"
	Help      Action = "help"
	Palette   Action = "palette"
	Back      Action = "back"
	Next      Action = "next"
	Previous  Action = "previous"
	Go1       Action = "go.overview"
	Go2       Action = "go.workers"
	Go3       Action = "go.agents"
	Go4       Action = "go.operations"
	Go5       Action = "go.tasks"
	Go6       Action = "go.reconcile"
	Refresh   Action = "refresh"
	Language  Action = "language"
	Mouse     Action = "mouse"
	Up        Action = "up"
	Down      Action = "down"
	PageUp    Action = "pageup"
	PageDown  Action = "pagedown"
	Home      Action = "home"
	End       Action = "end"
	Open      Action = "open"
	Filter    Action = "filter"
	Sort      Action = "sort"
	SortBack  Action = "sort.back"
	Mark      Action = "mark"
	RangeUp   Action = "range.up"
	RangeDown Action = "range.down"
	RangeHome Action = "range.home"
	RangeEnd  Action = "range.end"
	Range     Action = "range"
	MarkAll   Action = "mark.all"
	Invert    Action = "mark.invert"
	Unmark    Action = "mark.none"
	Register  Action = "register"
	Auto      Action = "auto"
	BatchOpen Action = "batch"
	Delete    Action = "delete"
	EditMAC   Action = "mac"
	NewDisk   Action = "disk.new"
	DropDisk  Action = "disk.delete"
	AttachCD  Action = "cd.attach"
	DetachCD  Action = "cd.detach"
	Boot      Action = "boot"
	BootVars  Action = "bootvars"
	TakeOver  Action = "takeover"
	Deal      Action = "deal"
	Switch    Action = "switch"
	Pane      Action = "pane"
	Left      Action = "left"
	Right     Action = "right"
	Settings  Action = "settings"
	Start     Action = "start"
	Edit      Action = "edit"
	Enable    Action = "enable"
	Scan      Action = "scan"
	Cancel    Action = "cancel"
	MarkBad   Action = "markbad"
	Status    Action = "status"
	Fix       Action = "fix"
	NextField Action = "field.next"
	PrevField Action = "field.previous"
	Enter     Action = "field.enter"
	Clear     Action = "field.clear"
	Choose    Action = "choose"
	Submit    Action = "submit"
)

// Table is every key.
var Table = []Binding{
	{Global, Help, []string{"?", "f1"}, true},
	{Global, Palette, []string{":"}, true},
	{Global, Back, []string{"esc"}, false},
	{Global, Next, []string{"tab"}, false},
	{Global, Previous, []string{"shift+tab"}, false},
	{Global, Go1, []string{"1"}, false},
	{Global, Go2, []string{"2"}, false},
	{Global, Go3, []string{"3"}, false},
	{Global, Go4, []string{"4"}, false},
	{Global, Go5, []string{"5"}, false},
	{Global, Go6, []string{"6"}, false},
	{Global, Refresh, []string{"ctrl+r", "f5"}, false},
	{Global, Language, []string{"L"}, false},
	{Global, Mouse, []string{"M"}, false},
	{Global, Suspend, []string{"ctrl+z"}, false},
	{Global, Quit, []string{"q", "ctrl+c"}, true},

	{Rows, Up, []string{"up", "k"}, false},
	{Rows, Down, []string{"down", "j"}, false},
	{Rows, PageUp, []string{"pgup", "ctrl+b"}, false},
	{Rows, PageDown, []string{"pgdown", "ctrl+f"}, false},
	{Rows, Home, []string{"home", "g"}, false},
	{Rows, End, []string{"end", "G"}, false},
	{Rows, Filter, []string{"/"}, true},
	{Rows, Sort, []string{"s"}, false},
	{Rows, SortBack, []string{"S"}, false},

	{Marks, Mark, []string{" "}, true},
	{Marks, RangeDown, []string{"shift+down", "J"}, false},
	{Marks, RangeUp, []string{"shift+up", "K"}, false},
	{Marks, RangeHome, []string{"shift+home"}, false},
	{Marks, RangeEnd, []string{"shift+end"}, false},
	{Marks, Range, []string{"v"}, true},
	{Marks, MarkAll, []string{"a"}, false},
	{Marks, Invert, []string{"i"}, false},
	{Marks, Unmark, []string{"u"}, false},

	{Overview, Auto, []string{"A"}, true},

	{Workers, Open, []string{"enter"}, true},
	{Workers, Register, []string{"n"}, true},
	{Workers, BatchOpen, []string{"b"}, true},
	{Workers, Delete, []string{"D"}, true},
	{Workers, Auto, []string{"A"}, true},

	{Worker, NewDisk, []string{"d"}, true},
	{Worker, DropDisk, []string{"x"}, true},
	{Worker, Boot, []string{"b"}, true},
	{Worker, EditMAC, []string{"e"}, true},
	{Worker, AttachCD, []string{"c"}, true},
	{Worker, DetachCD, []string{"C"}, false},
	{Worker, BootVars, []string{"p"}, true},
	{Worker, Delete, []string{"D"}, true},
	{Worker, Up, []string{"up", "k"}, false},
	{Worker, Down, []string{"down", "j"}, false},
	{Worker, PageUp, []string{"pgup"}, false},
	{Worker, PageDown, []string{"pgdown"}, false},

	{Batch, Settings, []string{"e"}, true},
	{Batch, Pane, []string{"tab"}, true},
	{Batch, Switch, []string{" "}, true},
	{Batch, Deal, []string{"r"}, true},
	{Batch, TakeOver, []string{"t"}, true},
	{Batch, Left, []string{"left", "h"}, true},
	{Batch, Right, []string{"right", "l"}, false},
	{Batch, Start, []string{"enter"}, true},
	{Batch, Up, []string{"up", "k"}, false},
	{Batch, Down, []string{"down", "j"}, false},
	{Batch, PageUp, []string{"pgup"}, false},
	{Batch, PageDown, []string{"pgdown"}, false},

	{Agents, Open, []string{"enter"}, true},
	{Agents, Register, []string{"n"}, true},
	{Agents, Edit, []string{"e"}, true},
	{Agents, Enable, []string{"x"}, true},
	{Agents, Delete, []string{"D"}, true},

	{LUNs, Open, []string{"enter"}, true},
	{LUNs, NewDisk, []string{"d"}, true},
	{LUNs, AttachCD, []string{"c"}, true},
	{LUNs, Scan, []string{"R"}, true},
	{LUNs, Delete, []string{"D"}, true},

	{Operations, Open, []string{"enter"}, true},
	{Operations, Status, []string{"f"}, true},

	{Tasks, Open, []string{"enter"}, true},
	{Tasks, Cancel, []string{"c"}, true},

	{Task, Open, []string{"enter"}, true},
	{Task, Cancel, []string{"c"}, true},
	{Task, MarkBad, []string{"m"}, true},

	{Reconcile, Fix, []string{"f"}, true},
	{Reconcile, Open, []string{"enter"}, true},

	{Form, Enter, []string{"enter"}, true},
	{Form, NextField, []string{"tab", "down"}, false},
	{Form, PrevField, []string{"shift+tab", "up"}, false},
	{Form, Choose, []string{"left", "right"}, true},
	{Form, Back, []string{"esc"}, true},
	{Form, Clear, []string{"ctrl+u"}, true},

	{Pick, Up, []string{"up"}, false},
	{Pick, Down, []string{"down"}, true},
	{Pick, Submit, []string{"enter"}, true},
	{Pick, Back, []string{"esc"}, true},

	{Reader, Up, []string{"up", "k"}, false},
	{Reader, Down, []string{"down", "j"}, true},
	{Reader, PageUp, []string{"pgup"}, false},
	{Reader, PageDown, []string{"pgdown", " "}, true},
	{Reader, Back, []string{"esc", "q", "enter"}, true},
}
