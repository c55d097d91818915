export const en = {
  title: 'Workers',
} as const
