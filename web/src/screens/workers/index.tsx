import { useState } from 'react'
import { autoRegister, useMayWrite, useResource, workers } from '../../api/store'
import { useTexts } from '../../i18n'
import { Button, Screen, Shown, useQuery } from '../../kit'
import { AutoRegister } from './AutoRegister'
import { List } from './List'
import { defaults, type Mode } from './query'
import { Register } from './Register'
import { texts } from './texts'
import './workers.css'

/** All machines: find them, register them, give many of them disks, delete many. */
export function Route() {
  const t = useTexts(texts)
  const part = useResource(workers)
  const auto = useResource(autoRegister).data
  const mayWrite = useMayWrite()
  const [query, set] = useQuery(defaults)
  const [registering, register] = useState(false)
  const mode: Mode = mayWrite && (query.mode === 'create' || query.mode === 'delete') ? query.mode : ''
  const modeButton = (own: 'create' | 'delete', text: string) => (
    <Button aria-pressed={mode === own} onClick={() => set({ mode: mode === own ? '' : own }, { push: true })}>
      {text}
    </Button>
  )
  return (
    <Screen
      title={t('title')}
      className={`full workers ${mode}`}
      tools={
        <>
          <AutoRegister />
          {mayWrite && (
            <>
              <Button look="strong" onClick={() => register(true)}>
                {t('register')}
              </Button>
              {modeButton('create', t('give'))}
              {modeButton('delete', t('delete'))}
            </>
          )}
        </>
      }
    >
      <Shown part={part} what={t('title')} again={() => workers.stale()} empty={t(auto?.enabled === false ? 'empty.off' : 'empty')} isEmpty={(rows) => rows.list.length === 0}>
        {(rows) => <List rows={rows} mode={mode} query={query} set={set} />}
      </Shown>
      {registering && <Register onClose={() => register(false)} />}
    </Screen>
  )
}
