import { useState } from 'react'
import { reconcile as calls } from '../../api/calls'
import { findings } from '../../api/store'
import type { Finding, FindingsFixed } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Confirm, Copy, Dialog, done } from '../../kit'
import { texts } from './texts'
import { fixOf } from './words'

const most = 8

/** Asks before the chosen findings are mended, then says which could not be. */
export function Fix({ chosen, left, onClose }: { chosen: readonly Finding[]; left: number; onClose: () => void }) {
  const t = useTexts(texts)
  const [result, setResult] = useState<FindingsFixed>()
  if (result !== undefined) return <Result result={result} chosen={chosen} onClose={onClose} />
  return (
    <Confirm
      title={t('fix.title')}
      yes={t('fix.yes', { n: chosen.length })}
      what={t('title')}
      lost={
        <>
          <p>{t('fix.intro', { n: chosen.length })}</p>
          <ul className="fixes">
            {chosen.slice(0, most).map((f) => (
              <li key={f.id}>
                <strong>{fixOf(t, f)}</strong>: {f.detail}
              </li>
            ))}
            {chosen.length > most && <li className="dim">{t('fix.more', { n: chosen.length - most })}</li>}
          </ul>
          {left > 0 && <p className="dim">{t('fix.left', { n: left })}</p>}
        </>
      }
      onConfirm={async () => {
        const answer = await calls.fix(chosen.map((f) => f.id))
        findings.stale()
        if (answer.failed.length === 0) done(t('fix.done', { n: answer.fixed.length }))
        else setResult(answer)
      }}
      onClose={() => setResult((r) => (r === undefined ? (onClose(), r) : r))}
    />
  )
}

function Result({ result, chosen, onClose }: { result: FindingsFixed; chosen: readonly Finding[]; onClose: () => void }) {
  const t = useTexts(texts)
  const lines = result.failed.map((f) => `${chosen.find((c) => c.id === f.id)?.detail ?? f.id}: ${f.error}`)
  return (
    <Dialog title={t('fix.result')} wide onClose={onClose} foot={<><Copy text={lines.join('\n')} /><Button data-autofocus onClick={onClose}>{t('close')}</Button></>}>
      <p role="alert">! {t('fix.counts', { fixed: result.fixed.length, failed: result.failed.length })}</p>
      <ul className="fixes">{lines.map((l) => <li key={l}>! {l}</li>)}</ul>
    </Dialog>
  )
}
