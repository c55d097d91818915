package audit

// Op is what was done.
type Op string

// The ops of the control plane.
const (
	OpCreateWorker     Op = "create_worker"
	OpAutoRegister     Op = "auto_register"
	OpDiskCreate       Op = "worker.disk.create"
	OpDiskDelete       Op = "worker.disk.delete"
	OpCDAttach         Op = "worker.cd.attach"
	OpCDDetach         Op = "worker.cd.detach"
	OpBootSet          Op = "worker.boot.set"
	OpMACUpdate        Op = "worker.mac.update"
	OpDeleteWorker     Op = "delete_worker"
	OpAgentRegister    Op = "agent.register"
	OpAgentUpdate      Op = "agent.update"
	OpAgentDelete      Op = "agent.delete"
	OpAgentProbe       Op = "agent.probe"
	OpLUNCreateDisk    Op = "lun.create_disk"
	OpLUNCreateCD      Op = "lun.create_cd"
	OpLUNDelete        Op = "lun.delete"
	OpLUNScan          Op = "lun.scan"
	OpAutoRegisterSet  Op = "settings.auto_register"
	OpDNSMasqReload    Op = "dnsmasq.reload"
	OpIdentityMismatch Op = "boot.identity_mismatch"
	OpReconcileFix     Op = "reconcile.fix"
	OpRegisterLimited  Op = "boot.register_limited"
	OpTokenGuessed     Op = "auth.guessed"
	OpSecondInitiator  Op = "disk.second_initiator"
	OpRefusedInitiator Op = "disk.refused_initiator"
)

// Status is how far an operation is.
type Status string

// An operation is started and then succeeded, failed or, after a crash,
// interrupted; one that is its own start and end is ok.
const (
	Started     Status = "started"
	Succeeded   Status = "succeeded"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
	OK          Status = "ok"
)
