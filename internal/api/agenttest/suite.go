// Package agenttest is the suite that everything passes that speaks a storage
// node's REST contract: the agent, and the node in memory that the control
// plane is tested with.
package agenttest

import (
	"testing"
	"time"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/secret"
)

// What lies in the image folder of a node at the start, and nothing else.
const (
	Master = "master_tpl_1.img"
	ISO    = "win.iso"
)

// Node is one under test. No target stands.
type Node struct {
	URL, Token, Base string

	Put   func(file string)           // lays a file into the image folder
	Files func() []string             // the folder's disks and CDs, masters included
	Use   func(iqn, initiator string) // logs an initiator in to a target
	Hold  func() (release func())     // keeps clones from ending
}

type test struct {
	name string
	run  func(t *testing.T, n node)
}

// Run runs the suite on a node that serves CDs; start makes a fresh one for
// each test.
func Run(t *testing.T, start func(t *testing.T) Node) {
	run(t, start, common)
	run(t, start, []test{
		{"a CD is served as one under the name of its file", servesCD},
		{"a CD that stands with that very ISO is success", sameCDTwice},
		{"a CD stands under several names", severalCDNames},
		{"what is wrong with a CD is told", refusesCD},
		{"a deleted CD leaves its ISO", deletesCD},
		{"a file that is served twice is not deleted", deletesNoSharedFile},
	})
}

// RunWithoutCDs runs the suite on a node whose backend serves none.
func RunWithoutCDs(t *testing.T, start func(t *testing.T) Node) {
	run(t, start, common)
	run(t, start, []test{{"a CD is refused where the backend cannot serve one", refusesEveryCD}})
}

var common = []test{
	{"every call but healthz wants the token", wantsToken},
	{"an error has a code, a sentence and a request id", errorsAreWhole},
	{"HEAD is answered as GET is", answersHEAD},
	{"capabilities say what the node can do", capabilities},
	{"a new node lists nothing", listsNothing},
	{"masters are listed", listsMasters},
	{"a disk is cloned from a master and served", clonesMaster},
	{"a blank disk is served", makesBlank},
	{"a disk without a file name has that of its target", namesFile},
	{"an IQN is lower-cased", lowersIQN},
	{"an existing file is served and twice is once", servesExisting},
	{"what is taken is a conflict", refusesTaken},
	{"what is missing is not found", refusesMissing},
	{"what can never be made is bad input", refusesBadDisk},
	{"a target goes and its file stays unless it is to go too", deletesDisk},
	{"a target that is not there is not found", deletesNothing},
	{"a target in use stays unless it is forced", deletesInUse},
	{"what is wrong with a deletion is told", refusesDeletion},
	{"a scan serves what has no target and leaves the rest", scans},
	{"nobody is a second one on a disk that one machine uses", tellsFencing},
	{"a chosen IQN survives a rebuild", keepsChosenIQN},
	{"a task ends with what it made", taskSucceeds},
	{"a task fails in the words of a call that waits", taskFails},
	{"a cancelled task leaves nothing", taskIsCancelled},
	{"an unknown task is not found", unknownTask},
	{"what can never be made is refused without a task", refusesWithoutTask},
}

func run(t *testing.T, start func(t *testing.T) Node, tests []test) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := start(t)
			tt.run(t, node{Node: n, Agent: client.NewAgent(client.AgentOptions{
				ID: "st1", BaseURL: n.URL, Token: secret.New(n.Token), HTTP: client.NewHTTP(10 * time.Second),
				Timeout: 20 * time.Second, Clone: 20 * time.Second,
			})})
		})
	}
}
