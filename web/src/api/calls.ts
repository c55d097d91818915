// Every call of the control plane, one line each. What takes long is asked for
// as a task, so that no proxy's time-out cuts it.
import { call, type Call, type Method } from './http'
import type * as t from './types'

type Signal = { signal?: AbortSignal }

const body = async <T>(method: Method, path: string, options?: Call): Promise<T> => (await call<T>(method, path, options)).body
const get = <T>(path: string, options?: Call) => body<T>('GET', path, options)
const seg = encodeURIComponent
const async = { Prefer: 'respond-async' }

/** What asks agents waits for the slowest of them. */
const patient = 60_000

export interface Removal {
  delete_file?: boolean
  ignore_missing_target?: boolean
  force?: boolean
}

export interface OperationsQuery {
  since?: number
  limit?: number
  tail?: number
  before?: number
  op?: string
  status?: string
  worker_id?: string
}

export const workers = {
  /** The answer's status is 304, without a body, while etag still names the edition. */
  list: (etag: string) => call<t.Worker[] | undefined>('GET', '/workers', { headers: etag === '' ? {} : { 'If-None-Match': etag }, timeout: patient }),
  get: (id: string, o?: Signal) => get<t.Worker>(`/workers/${seg(id)}`, o),
  status: (id: string, o?: Signal) => get<t.WorkerStatus>(`/workers/${seg(id)}/status`, { ...o, timeout: patient }),
  /** The script that iPXE is given. Asked by host name alone: a question with the MAC is a boot. */
  bootScript: (hostname: string, o?: Signal) => get<string>('/boot-vars', { ...o, query: { hostname }, text: true }),
  create: (w: t.CreateWorker) => body<t.ChangedWorker>('POST', '/workers', { body: w, timeout: patient }),
  setMAC: (id: string, mac: string) => body<t.ChangedWorker>('PUT', `/workers/${seg(id)}/mac`, { body: { mac } }),
  setBoot: (id: string, b: t.SetBoot) => body<t.Worker>('PUT', `/workers/${seg(id)}/default-os`, { body: b }),
  createDisk: (id: string, d: t.CreateDisk) => body<{ task_id: string }>('POST', `/workers/${seg(id)}/luns/disk`, { body: d, headers: async }),
  deleteDisk: (id: string, os: string, query: Removal) => body<t.Worker>('DELETE', `/workers/${seg(id)}/luns/disk/${seg(os)}`, { query: { ...query }, timeout: patient }),
  attachCD: (id: string, cd: t.AttachCD) => body<t.Worker>('POST', `/workers/${seg(id)}/luns/cd`, { body: cd, timeout: patient }),
  detachCD: (id: string, query: Omit<Removal, 'delete_file'>) => body<t.Worker>('DELETE', `/workers/${seg(id)}/luns/cd`, { query: { ...query }, timeout: patient }),
  remove: (id: string, query: Omit<Removal, 'delete_file'> & { delete_disk?: boolean }) => body<t.WorkerDeleted>('DELETE', `/workers/${seg(id)}`, { query: { ...query }, timeout: patient }),
  createDisks: (d: t.CreateDisks) => body<{ task_id: string }>('POST', '/workers/luns/disk/batch', { body: d, headers: async }),
  removeMany: (d: t.DeleteWorkers) => body<{ task_id: string }>('POST', '/workers/delete/batch', { body: d, headers: async }),
}

export const agents = {
  /** live asks every enabled node how it is, which takes as long as the slowest. */
  list: (live: boolean) => get<t.Agent[]>('/agents', { query: { live }, timeout: patient }),
  probe: (p: t.ProbeAgent) => body<t.Probe>('POST', '/agents/probe', { body: p, timeout: patient }),
  register: (a: t.RegisterAgent) => body<t.Agent>('POST', '/agents', { body: a }),
  /** Replaces the entry: what is absent takes its default, an empty token keeps the stored one. */
  update: (id: string, a: t.UpdateAgent) => body<t.Agent>('PUT', `/agents/${seg(id)}`, { body: a }),
  remove: (id: string) => body<{ deleted: string }>('DELETE', `/agents/${seg(id)}`),
  sessions: (id: string) => get<t.AgentSession[]>(`/agents/${seg(id)}/sessions`, { timeout: patient }),
  masters: async () => (await get<{ agents: t.AgentMasters[] }>('/masters', { timeout: patient })).agents,
}

export const luns = {
  list: (agent: string, o?: Signal) => get<t.Target[]>(`/agents/${seg(agent)}/luns`, { ...o, timeout: patient }),
  createDisk: (agent: string, d: t.DirectDisk) => body<t.LUNCreated>('POST', `/agents/${seg(agent)}/luns/disk`, { body: d, timeout: 3_600_000 }),
  createCD: (agent: string, cd: { iso: string; iqn?: string }) => body<t.LUNCreated>('POST', `/agents/${seg(agent)}/luns/cd`, { body: cd, timeout: patient }),
  remove: (agent: string, iqn: string, query: { delete_file?: boolean; ignore_missing?: boolean; force?: boolean }) =>
    body<t.TargetDeleted>('DELETE', `/agents/${seg(agent)}/luns`, { query: { iqn, ...query }, timeout: patient }),
  scan: (agent: string) => body<t.Scan>('POST', `/agents/${seg(agent)}/luns/scan`, { timeout: 600_000 }),
}

export const tasks = {
  list: () => get<t.Task[]>('/tasks'),
  get: (id: string, o?: Signal) => get<t.Task>(`/tasks/${seg(id)}`, o),
  cancel: (id: string) => body<t.Task>('DELETE', `/tasks/${seg(id)}`),
}

export const operations = {
  page: (query: OperationsQuery, o?: Signal) => get<t.Operations>('/operations', { ...o, query: { ...query } }),
}

export const reconcile = {
  list: async () => (await get<{ findings: t.Finding[] }>('/reconcile', { timeout: patient })).findings,
  fix: (ids: string[]) => body<t.FindingsFixed>('POST', '/reconcile', { body: { fix: ids }, timeout: 600_000 }),
}

export const settings = {
  autoRegister: () => get<t.AutoRegister>('/settings/auto-register'),
  setAutoRegister: (enabled: boolean) => body<t.AutoRegister>('PUT', '/settings/auto-register', { body: { enabled } }),
}

export const service = {
  version: () => get<t.Version>('/version'),
  /** 503 is an answer too: it names what is broken. */
  ready: () => get<t.Ready>('/readyz', { accept: 503 }),
}
