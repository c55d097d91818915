import { useTexts } from '../../i18n'
import { Screen } from '../../kit'
import { texts } from './texts'

interface Props {
  /** The folder below public/: '' or 'images/debian', without slashes at the ends, not encoded. */
  dir: string
  /** Where a folder's page is. */
  href: (dir: string) => string
}

/** The files that the site serves, folder by folder. */
export function Files({ dir, href }: Props) {
  const t = useTexts(texts)
  return (
    <Screen title={t('title')}>
      <a href={href(dir)}>/{dir}</a>
    </Screen>
  )
}
