import { useMemo } from 'react'
import { Link, useParams } from 'react-router-dom'
import { useMayWrite, useResource, workers } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Card, Code, Screen, Shown } from '../../kit'
import { useAbout } from './about'
import { Boot } from './Boot'
import { CD } from './CD'
import { Disks } from './Disks'
import { History } from './History'
import { Identity } from './Identity'
import { Live } from './Live'
import { Remove } from './Remove'
import { texts } from './texts'
import './worker.css'

/** One machine: who it is, its disks, what it boots, what is really there, what was done to it. */
export function Route() {
  const { id = '' } = useParams()
  const t = useTexts(texts)
  const part = useResource(workers)
  const worker = useMemo(() => find(part.data, id), [part.data, id])
  const mayWrite = useMayWrite()
  return (
    <Screen title={t('title', { id: worker?.worker_id ?? id })} tools={mayWrite && worker !== undefined && <Remove worker={worker} />}>
      <Shown
        part={part}
        what={t('what', { id })}
        again={() => workers.stale()}
        isEmpty={() => worker === undefined}
        empty={
          <>
            {t('gone', { id })} · <Link to="/workers">{t('gone.all')}</Link>
          </>
        }
      >
        {() => worker !== undefined && <Page key={worker.worker_id} worker={worker} mayWrite={mayWrite} />}
      </Shown>
    </Screen>
  )
}

/** Ids and host names are one name space; a link may hold either. */
function find(rows: { byId: ReadonlyMap<string, Worker>; list: readonly Worker[] } | undefined, id: string): Worker | undefined {
  return rows?.byId.get(id) ?? rows?.list.find((w) => w.hostname === id)
}

function Page({ worker, mayWrite }: { worker: Worker; mayWrite: boolean }) {
  const t = useTexts(texts)
  const about = useAbout(worker.worker_id, worker)
  return (
    <div className="worker">
      <div>
        <Identity worker={worker} mayWrite={mayWrite} />
        <Disks worker={worker} mayWrite={mayWrite} />
        <CD worker={worker} mayWrite={mayWrite} />
      </div>
      <div>
        <Live status={about.status} again={about.again.status} />
        <Boot worker={worker} mayWrite={mayWrite} />
        <Card title={t('script')}>
          <Shown part={about.script} what={t('script')} again={about.again.script}>
            {(script) => <Code label="/boot-vars" text={script.trimEnd()} />}
          </Shown>
        </Card>
        <History id={worker.worker_id} part={about.history} again={about.again.history} />
      </div>
    </div>
  )
}
