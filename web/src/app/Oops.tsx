import { Component, type ReactNode } from 'react'
import { asError, type ApiError } from '../api/error'
import { useGeneral } from '../i18n'
import { Broken } from '../kit'

/**
 * Catches a fault of the console itself, or a part of it that a new release
 * took away; the bar stays. Give it the path as key: another screen begins anew.
 */
export class Oops extends Component<{ children: ReactNode }, { error: ApiError | undefined }> {
  override state = { error: undefined as ApiError | undefined }

  static getDerivedStateFromError(thrown: unknown) {
    return { error: asError(thrown) }
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <Said error={this.state.error} />
  }
}

function Said({ error }: { error: ApiError }) {
  const t = useGeneral()
  return <Broken what={t('oops.what')} error={error} again={() => location.reload()} />
}
