package i18n

var messages = map[string]pair{
	"conn.connecting": {"connecting", "连接中"},
	"conn.live":       {"live", "实时"},
	"conn.polling":    {"polling", "轮询"},
	"conn.lost":       {"NO CONNECTION for %s; trying again", "连接中断 %s;正在重试"},
	"conn.silent":     {"no answer for %s; trying again", "%s 无答复;正在重试"},
	"conn.never":      {"cannot reach it for %s; trying again", "%s 内无法连接;正在重试"},
	"conn.age":        {"data %s old", "数据已 %s"},
	"conn.refused":    {"TOKEN REFUSED", "令牌被拒绝"},
	"conn.refused.do": {"the control plane wants another token: start with --token-file FILE, or set IPXE_CP_TOKEN", "控制面不接受此令牌:请用 --token-file 文件 启动,或设置 IPXE_CP_TOKEN"},
	"conn.foreign":    {"NOT A CONTROL PLANE", "不是控制面"},
	"conn.foreign.do": {"what answers at %s is not a control plane: its address is http://HOST:4839, or http://HOST:4838/api/cp (--url)", "%s 处应答的不是控制面:其地址为 http://主机:4839 或 http://主机:4838/api/cp(--url)"},

	"meanwhile": {"%s was changed meanwhile to %s: enter again overwrites that", "%s 已被他人改为 %s:再按 enter 将覆盖"},

	"task.interrupted.count": {"%d interrupted: look at the workers", "%d 项中断:请查看机器"},

	"status.started":     {"started", "开始"},
	"status.succeeded":   {"succeeded", "成功"},
	"status.ok":          {"ok", "成功"},
	"status.failed":      {"failed", "失败"},
	"status.interrupted": {"interrupted", "中断"},

	"rows.nofield": {"no field %s; fields: %s", "没有字段 %s;字段:%s"},

	"batch.ill": {"node %s is %s: its %d {disk is|disks are} likely to fail", "节点 %s %s:分配给它的 %d 个磁盘可能失败"},
}
