// Drag and drop between rows and nodes.
import type { DOMAttributes, DragEvent } from 'react'

export const ofNode = 'application/x-ipxe-node'
export const ofWorker = 'application/x-ipxe-worker'

/** What makes something draggable: it carries its id. */
export const dragged = (kind: string, id: string): DOMAttributes<HTMLElement> & { draggable: boolean } => ({
  draggable: true,
  onDragStart: (e: DragEvent) => {
    e.dataTransfer.setData(kind, id)
    e.dataTransfer.effectAllowed = 'link'
  },
})

/** What takes those of a kind; it is drawn as such while one is over it. */
export const takes = (kind: string, drop: (id: string) => void): DOMAttributes<HTMLElement> => {
  const over = (e: DragEvent, is: boolean) => e.currentTarget.classList.toggle('over', is)
  return {
    onDragOver: (e) => {
      if (!e.dataTransfer.types.includes(kind)) return
      e.preventDefault()
      e.dataTransfer.dropEffect = 'link'
      over(e, true)
    },
    onDragLeave: (e) => over(e, false),
    onDrop: (e) => {
      over(e, false)
      const id = e.dataTransfer.getData(kind)
      if (id === '') return
      e.preventDefault()
      drop(id)
    },
  }
}
