import { expect, test } from 'vitest'
import { expandEnv } from '../testing.ts'
import { envFilesOf } from './env-files.ts'

test('K2 files of one mode have the order of Next.js: local files win over files of the mode', () => {
  expect(envFilesOf('production')).toEqual(['.env', '.env.production', '.env.local', '.env.production.local'])
})

test.each([
  ['https://$HOST/a', 'https://files.example/a'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the files.
  ['${HOST}:80', 'files.example:80'],
  ['\\$HOST costs $5', '$HOST costs $5'],
  ['$MISSING-x', '-x'],
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the syntax of the files.
  ['${MISSING:-fallback} ${MISSING:-}', 'fallback '],
  ['${MISSING:-http://$HOST/} ${MISSING:-${HOST}}', 'http://files.example/ files.example'],
  ['${PORT:-1}', 'from the environment'],
  // As in Next.js the default is before the value of the files.
  ['${HOST:-fallback} ${HOST:-}', 'fallback files.example'],
  ['${LOOP:-$VALUE}', ''],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the syntax of the files.
  ['$PORT', 'from the environment'],
  ['$NESTED', 'a files.example'],
  ['$VALUE', ''],
  ['$LOOP', ''],
  // Members of every object are no variables.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the files.
  ['$constructor${__proto__}$toString', ''],
])('K2 the value %j of a file is %j', (text, expected) => {
  const values = {
    HOST: 'files.example',
    PORT: 'of the file',
    NESTED: 'a $HOST',
    LOOP: '$BACK',
    BACK: '$LOOP',
    VALUE: text,
  }
  expect(expandEnv(values, { PORT: 'from the environment' }).VALUE).toBe(expected)
})

test('K2 references that multiply, and a chain that is too long, are an error that names the value', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`V${n}`, n === 0 ? '' : `$V${n - 1}$V${n - 1}`]),
  )
  expect(() => expandEnv(doubled, {})).toThrow(/^V\d+ of the \.env files: has more than 1000 references/)
  const chain = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`V${n}`, `$V${n + 1}`]))
  expect(() => expandEnv(chain, {})).toThrow('V0 of the .env files: has more than 1000 references')
  const long = { TEXT: 'x'.repeat(100_000), MORE: '$TEXT$TEXT$TEXT$TEXT' }
  expect(() => expandEnv(long, {})).toThrow('MORE of the .env files: is longer than')
})
