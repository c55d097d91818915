import type { SameKeys } from '../../i18n'
import type { en } from './texts.en'

export const zh: SameKeys<typeof en> = {
  title: '文件',
  trail: '文件夹',
  root: 'public',
  'root.go': '回到最上层文件夹',
  up: '上一层文件夹',
  empty: '此文件夹为空。',
  missing: '没有文件夹 /{dir}。',
  bytes: '{n} 字节',
  'col.name': '名称',
  'col.size': '大小',
  'col.time': '修改时间',
  'col.ipxe': 'iPXE 地址',
  'ipxe.hint': '机器从 {url} 读取这些文件；按钮复制供 iPXE 使用的文件地址。',
}
