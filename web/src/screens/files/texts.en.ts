export const en = {
  title: 'Files',
} as const
