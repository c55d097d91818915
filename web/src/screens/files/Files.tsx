import { Fragment, useMemo } from 'react'
import { useResource } from '../../api/store'
import { useTexts } from '../../i18n'
import { bytes, Button, Copy, Empty, Field, moment, Screen, Shown, Table, Toolbar, useQuery, type Column, type Direction } from '../../kit'
import './files.css'
import { arrange, folder, type Entry } from './listing'
import { download, forIPXE, into, trail } from './paths'
import { texts } from './texts'

interface Props {
  /** The folder below public/: '' or 'images/debian', without slashes at the ends, not encoded. */
  dir: string
  /** Where a folder's page is. */
  href: (dir: string) => string
}

const defaults = { filter: '', sort: 'name', direction: 'up' }
const idOf = (e: Entry) => e.name

/** The files that the site serves, folder by folder. */
export function Files({ dir, href }: Props) {
  const t = useTexts(texts)
  const held = useMemo(() => folder(dir), [dir])
  const part = useResource(held)
  const missing = part.error?.code === 'no_folder'
  return (
    <Screen
      title={t('title')}
      className="full"
      tools={
        <Button busy={part.loading && part.at > 0} onClick={() => held.stale()}>
          {t('refresh')}
        </Button>
      }
    >
      <nav aria-label={t('trail')} className="trail">
        {trail(dir).map((f, i, all) => (
          <Fragment key={f.dir}>
            {i > 1 && ' / '}
            <a href={href(f.dir)} aria-current={i === all.length - 1 ? 'page' : undefined}>
              {f.name === '' ? t('root') : f.name}
            </a>
            {i === 0 && ' / '}
          </Fragment>
        ))}
      </nav>
      {missing ? (
        <Empty>
          {t('missing', { dir })} <a href={href('')}>{t('root.go')}</a>
        </Empty>
      ) : (
        <Shown part={part} what={`/${dir}`} again={() => held.stale()}>
          {(list) => <Listing key={dir} dir={dir} list={list} href={href} />}
        </Shown>
      )}
    </Screen>
  )
}

function Listing({ dir, list, href }: Props & { list: readonly Entry[] }) {
  const t = useTexts(texts)
  const [query, set] = useQuery(defaults)
  const sort = useMemo(() => ({ key: query.sort, direction: query.direction as Direction }), [query.sort, query.direction])
  const rows = useMemo(() => arrange(list, query.filter, sort), [list, query.filter, sort])
  const go = (e: Entry) => (e.type === 'directory' ? href(into(dir, e.name)) : download(dir, e.name))
  const columns: readonly Column<Entry>[] = useMemo(
    () => [
      {
        key: 'name', title: t('col.name'), width: 'minmax(16ch, 3fr)', sortable: true,
        cell: (e) =>
          e.type === 'directory' ? (
            <a href={href(into(dir, e.name))} title={e.name === '..' ? t('up') : e.name}>{e.name}/</a>
          ) : (
            <a href={download(dir, e.name)} download title={e.name}>{e.name}</a>
          ),
      },
      { key: 'size', title: t('col.size'), width: '11ch', align: 'right', sortable: true, cell: (e) => (e.type === 'directory' ? '-' : <span title={t('bytes', { n: e.size })}>{bytes(e.size)}</span>) },
      { key: 'time', title: t('col.time'), width: '22ch', sortable: true, wide: true, cell: (e) => <time dateTime={e.mtime}>{moment(e.mtime)}</time> },
      { key: 'ipxe', title: t('col.ipxe'), width: '12ch', cell: (e) => e.type === 'file' && <Copy text={forIPXE(download(dir, e.name), location)} /> },
    ],
    [t, dir, href],
  )
  const count = (of: readonly Entry[]) => of.filter((e) => e.name !== '..').length
  const all = count(list)
  const shown = count(rows)
  return (
    <>
      <Toolbar label={t('filter')}>
        <Field label={t('filter')} type="search" value={query.filter} onChange={(filter) => set({ filter })} />
        <span role="status" className="dim">
          {shown === all ? t('rows.count', { n: all }) : t('rows.filtered', { n: shown, all })}
          {all === 0 && ` · ${t('empty')}`}
        </span>
      </Toolbar>
      <Table label={`/${dir}`} columns={columns} rows={rows} id={idOf} sort={sort} onSort={(s) => set({ sort: s.key, direction: s.direction })} onOpen={(e) => location.assign(go(e))} empty={all === 0 ? t('empty') : t('table.nomatch')} />
      <p className="dim small">{t('ipxe.hint', { url: forIPXE('/file/…', location) })}</p>
    </>
  )
}
