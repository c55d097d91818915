// Short names for what travels on the wire. The shapes are made from the
// OpenAPI document; nothing is described a second time here.
import type { components } from './schema'

type Schemas = components['schemas']

export type Worker = Schemas['Worker']
export type ChangedWorker = Schemas['ChangedWorker']
export type WorkerState = Schemas['WorkerState']
export type WorkerStatus = Schemas['WorkerStatus']
export type LUNStatus = Schemas['LUNStatus']
export type WorkerDeleted = Schemas['WorkerDeleted']
export type Disk = Schemas['Disk']
export type OS = Schemas['OS']
export type MenuItem = Schemas['MenuItem']
export type SetBoot = Schemas['SetBoot']
export type CreateWorker = Schemas['CreateWorker']
export type CreateDisk = Schemas['CreateDisk']
export type CreateDisks = Schemas['CreateDisks']
export type DeleteWorkers = Schemas['DeleteWorkers']
export type AttachCD = Schemas['AttachCD']
export type Agent = Schemas['Agent']
export type AgentSession = Schemas['AgentSession']
export type RegisterAgent = Schemas['RegisterAgent']
export type UpdateAgent = Schemas['UpdateAgent']
export type ProbeAgent = Schemas['ProbeAgent']
export type Probe = Schemas['Probe']
export type Target = Schemas['Target']
export type DirectDisk = Schemas['DirectDisk']
export type LUNCreated = Schemas['LUNCreated']
export type TargetDeleted = Schemas['TargetDeleted']
export type Scan = Schemas['Scan']
export type AgentMasters = Schemas['Masters']['agents'][number]
export type Task = Schemas['Task']
export type TaskItem = Task['items'][number]
export type TaskState = Schemas['TaskState']
export type Finding = Schemas['Finding']
export type FindingsFixed = Schemas['FindingsFixed']
export type Operations = Schemas['Operations']
/** An operation says more of itself than the document names: anything by key. */
export type Operation = Operations['entries'][number]
export type AutoRegister = Schemas['AutoRegister']
export type Ready = Schemas['Ready']
export type Version = Schemas['Version']

export const systems: readonly OS[] = ['windows', 'ubuntu', 'debian', 'centos', 'esxi']
export const menuItems: readonly MenuItem[] = [...systems, 'menu-diag', 'menu-install', 'config', 'shell', 'reboot', 'exit']
export const workerStates: readonly WorkerState[] = ['ready', 'registered', 'installing', 'failed']

/** Whether a task or an item of one has ended. */
export const ended = (state: TaskState): boolean => state !== 'queued' && state !== 'running'
