export const en = {
  title: 'Reconcile',
} as const
