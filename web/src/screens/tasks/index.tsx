import { useParams } from 'react-router-dom'
import { Detail } from './Detail'
import { List } from './List'

/** All tasks, or the one that the address names. */
export function Route() {
  const { id } = useParams()
  return id === undefined ? <List /> : <Detail key={id} id={id} />
}
