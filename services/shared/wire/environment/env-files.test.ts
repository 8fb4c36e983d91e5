import { expect, test } from 'vitest'
import { envFilesOf, expandEnv } from './env-files.ts'

test('K2 files of one mode have the order of Next.js: local files win over files of the mode', () => {
  expect(envFilesOf('production')).toEqual(['.env', '.env.production', '.env.local', '.env.production.local'])
})

test.each([
  ['https://$HOST/a', 'https://files.example/a'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the files.
  ['${HOST}:80', 'files.example:80'],
  ['\\$HOST costs $5', '$HOST costs $5'],
  ['$MISSING-x', '-x'],
  ['$PORT', 'from the environment'],
  ['$NESTED', 'a files.example'],
  ['$VALUE', ''],
  ['$LOOP', ''],
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
