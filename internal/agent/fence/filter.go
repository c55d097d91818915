package fence

import "golang.org/x/net/bpf"

// wholeLogin is as much of a packet as is looked at, in bytes.
const wholeLogin = 4096

// inited is "Init" of "InitiatorName=".
const inited = 0x496e6974

// loginsIPv4 lets login requests to one TCP port pass and nothing of what disks
// carry. Offsets count from the IP head.
func loginsIPv4(port uint16) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: 9, Size: 1}, // protocol
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 6, SkipTrue: 20},
		bpf.LoadAbsolute{Off: 6, Size: 2}, // a fragment but the first has no TCP head
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: 0x1fff, SkipTrue: 18},
		bpf.LoadMemShift{Off: 0}, // X: the IP head's length
		bpf.LoadIndirect{Off: 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(port), SkipTrue: 15},
		bpf.TXA{},
		bpf.StoreScratch{Src: bpf.RegA, N: 0},
		bpf.LoadIndirect{Off: 12, Size: 1}, // TCP's data offset, in words, in the upper half
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 2},
		bpf.LoadScratch{Dst: bpf.RegX, N: 0},
		bpf.ALUOpX{Op: bpf.ALUOpAdd},
		bpf.TAX{}, // X: where the data begins
		bpf.LoadIndirect{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: inited, SkipTrue: 4},
		// Else a login request's head, and the text behind it.
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xbf00ffff},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x03000000, SkipTrue: 3},
		bpf.LoadIndirect{Off: loginHead, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: inited, SkipTrue: 1},
		bpf.RetConstant{Val: wholeLogin},
		bpf.RetConstant{Val: 0},
	}
}

// loginsIPv6 is the same for IPv6 without extension heads.
func loginsIPv6(port uint16) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: 6, Size: 1}, // next head
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 6, SkipTrue: 14},
		bpf.LoadAbsolute{Off: ipv6Head + 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(port), SkipTrue: 12},
		bpf.LoadAbsolute{Off: ipv6Head + 12, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 2},
		bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: ipv6Head},
		bpf.TAX{},
		bpf.LoadIndirect{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: inited, SkipTrue: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xbf00ffff},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x03000000, SkipTrue: 3},
		bpf.LoadIndirect{Off: loginHead, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: inited, SkipTrue: 1},
		bpf.RetConstant{Val: wholeLogin},
		bpf.RetConstant{Val: 0},
	}
}
