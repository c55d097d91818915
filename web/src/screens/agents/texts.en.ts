export const en = {
  title: 'Storage nodes',
} as const
