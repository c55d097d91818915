import hooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

const outside = (names, message) => ({ group: names, message })

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/api/schema.d.ts'] },
  ...tseslint.configs.strict,
  hooks.configs.flat['recommended-latest'],
  {
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400, skipComments: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Rules of the React compiler, which is not used.
      'react-hooks/incompatible-library': 'off',
      'react-hooks/preserve-manual-memoization': 'off',
    },
  },
  { files: ['scripts/**', 'e2e/**'], rules: { 'no-console': 'off' } },
  // Who may use whom: screens know no other screen, the kit knows no wire.
  {
    files: ['src/kit/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [outside(['**/screens/**', '**/app/**', '**/api/store*', '**/api/calls'], 'the kit knows neither screens nor what the control plane holds')] }] },
  },
  {
    files: ['src/screens/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex: '^\\.\\./(?!\\.\\./)', message: 'a screen knows no other screen' }] }] },
  },
  {
    files: ['src/api/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [outside(['**/screens/**', '**/app/**', '**/kit/*'], 'the API knows no screen')] }] },
  },
)
