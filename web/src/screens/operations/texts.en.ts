export const en = {
  title: 'Operations',
} as const
