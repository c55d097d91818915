/** What the control plane writes down, for the filter; one that a newer control plane adds shows up once it was seen. */
export const ops: readonly string[] = [
  'auto_register', 'create_worker', 'delete_worker', 'worker.mac.update', 'worker.boot.set', 'worker.disk.create', 'worker.disk.delete',
  'worker.cd.attach', 'worker.cd.detach', 'agent.register', 'agent.update', 'agent.delete', 'agent.probe', 'lun.create_disk', 'lun.create_cd',
  'lun.delete', 'lun.scan', 'reconcile.fix', 'settings.auto_register', 'dnsmasq.reload', 'boot.identity_mismatch', 'boot.register_limited', 'auth.guessed',
]

export const statuses: readonly string[] = ['started', 'succeeded', 'ok', 'failed', 'interrupted']
