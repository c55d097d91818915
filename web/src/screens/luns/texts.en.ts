export const en = {
  title: 'LUNs of {id}',
} as const
