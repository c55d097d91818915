import type { SameKeys } from '../../i18n'
import type { en } from './texts.en'

export const zh: SameKeys<typeof en> = {
  title: '总览',
  workers: '机器',
  'workers.all': '全部 {n}',
  'workers.live': '正从磁盘运行',
  'workers.empty': '还没有机器。开机后会自动登记，或在“机器”中登记。',
  'auto.label': '新机器自动登记',
  'auto.what': '自动登记',
  agents: '存储节点',
  'agents.none': '还没有存储节点：请在“存储节点”中登记。',
  'agents.used': '{id} 已用空间',
  tasks: '进行中的任务',
  'tasks.all': '全部任务',
  'tasks.idle': '没有进行中的任务。耗时的操作会出现在这里。',
  'tasks.more': '另有 {n} 个',
  operations: '最新操作',
  'operations.all': '全部操作记录',
  'operations.empty': '尚无操作。',
  findings: '核对',
  'findings.checking': '正在核对文件与节点…',
  'findings.none': '文件与节点一致',
  'findings.some': '{n} 项发现：查看',
}
