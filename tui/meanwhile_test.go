package tui_test

import (
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/i18n"
)

func TestAValueThatAnotherConsoleChangedIsNotOverwrittenUnseen(t *testing.T) {
	d := console(t, i18n.English, false)
	worker03(d)
	d.Press("e", "ctrl+u", "52:54:00:aa:aa:aa")
	w := fleet(3)[2]
	w.MAC = ptr("52:54:00:bb:bb:bb")
	d.Send(event(api.EventWorker, "updated", w.WorkerID, w))
	d.Press("enter")
	has(t, d, "MAC was changed meanwhile to 52:54:00:bb:bb:bb", "enter again overwrites")
	d.Press("enter")
	d.Settle()
	hasNot(t, d, "changed meanwhile")
}

func TestWhatAPersonLeftAloneInTheBootFormIsNoConflict(t *testing.T) {
	d := console(t, i18n.English, false)
	worker03(d)
	d.Press("b", "tab", "tab", "5000")
	w := fleet(3)[2]
	w.Boot = &api.Boot{MenuDefault: "shell"}
	d.Send(event(api.EventWorker, "updated", w.WorkerID, w))
	d.Press("enter")
	d.Settle()
	hasNot(t, d, "changed meanwhile")
}

func TestWhatARestartInterruptedIsNotCalledFailed(t *testing.T) {
	d := console(t, i18n.English, false)
	cut := task()
	cut.State = api.TaskInterrupted
	for i := range cut.Items {
		cut.Items[i] = api.TaskItem{WorkerID: cut.Items[i].WorkerID, State: api.TaskInterrupted}
	}
	d.Press("5")
	d.Settle()
	d.Send(event(api.EventTask, "updated", cut.ID, cut))
	d.Press("down", "enter")
	d.Send(event(api.EventTask, "updated", cut.ID, cut))
	has(t, d, "3 interrupted: look at the workers", "0 succeeded")
	hasNot(t, d, "3 failed")
}

func TestAnUnknownFieldOfAFilterIsSaidWithThoseThereAre(t *testing.T) {
	d := list(t)
	d.Press("/", "foo:bar")
	has(t, d, "no field foo; fields: state os agent")
}

func TestOperationsAreTranslatedLikeTasks(t *testing.T) {
	d := console(t, i18n.Chinese, false)
	d.Press("4")
	d.Settle()
	has(t, d, "! 失败", "+ 成功", "~ 开始")
}
