export const en = {
  title: 'Tasks',
} as const
