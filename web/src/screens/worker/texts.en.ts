export const en = {
  title: 'Worker {id}',
} as const
