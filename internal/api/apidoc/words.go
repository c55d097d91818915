package apidoc

// words are what a page says by itself.
type words struct {
	lang, suffix                    string // of the members that hold this language: "" or "-zh"
	other, title, made              string
	parameter, field, in, typ, what string
	required, body, answers         string
	objects, codes, code            string
	list                            string
	intro                           string
}

var english = words{
	lang: "en", other: "[中文](api.zh.md)", title: "REST API of the control plane",
	made:      "Made from internal/api/openapi.yaml by `go generate ./internal/api/apidoc`; edit it there.",
	parameter: "Parameter", field: "Field", in: "In", typ: "Type", what: "What",
	required: "required", body: "Body", answers: "Answers", objects: "Objects", codes: "Error codes", code: "Code", list: "list of",
	intro: "The examples use two variables; without `IPXE_CP_TOKEN` on the server the token may be anything.",
}

var chinese = words{
	lang: "zh", suffix: "-zh", other: "[English](api.md)", title: "控制面 REST API",
	made:      "由 `go generate ./internal/api/apidoc` 根据 internal/api/openapi.yaml 生成，请在那里修改。",
	parameter: "参数", field: "字段", in: "位置", typ: "类型", what: "说明",
	required: "必填", body: "请求体", answers: "响应", objects: "对象", codes: "错误码", code: "错误码", list: "列表：",
	intro: "示例使用以下两个变量；服务端未设置 `IPXE_CP_TOKEN` 时令牌可为任意值。",
}
