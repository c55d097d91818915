import type { ApiError } from '../api/error'
import { useGeneral } from '../i18n'
import { Button } from './Button'
import { Copy } from './Copy'
import { advice, explain } from './explain'

/** What went wrong with what. It stays until it is closed, and can be copied. */
export function ErrorBox({ what, error, onClose }: { what: string; error: ApiError; onClose?: (() => void) | undefined }) {
  const t = useGeneral()
  const said = t('error.of', { what, error: explain(t, error) })
  const hint = advice(t, error)
  const request = error.requestId === '' ? '' : t('error.request', { id: error.requestId })
  return (
    <div className="error" role="alert">
      <div className="error-text">
        <strong>! {said}</strong>
        {hint !== '' && <div>{hint}</div>}
        {request !== '' && <div className="dim small">{request}</div>}
      </div>
      <div className="error-buttons">
        <Copy text={[said, `${error.code} (HTTP ${error.status})`, request].filter((x) => x !== '').join('\n')} />
        {onClose !== undefined && (
          <Button look="quiet" onClick={onClose}>
            {t('close')}
          </Button>
        )}
      </div>
    </div>
  )
}
