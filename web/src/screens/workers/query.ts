/** What the address holds. */
export const defaults = { filter: '', sort: 'id', direction: 'up', mode: '' }

export type Query = typeof defaults

/** Of the list: to look, to give many disks, to delete many. */
export type Mode = '' | 'create' | 'delete'
