import { expect, test } from 'vitest'
import { withoutConsole } from '../../testing.ts'

test.each([
  ['console.log(a, b())', 'undefined'],
  ['console.log(1).a', 'undefined.a'],
  ['const a = b\nconsole.log(1)\n;[1].map(a)', 'const a = b\nundefined\n;[1].map(a)'],
  ['run(() => console.warn(1, console.log(1)))', 'run(() => undefined)'],
  ["console.error('kept', console.log(1))", "console.error('kept', undefined)"],
])('X4 removes calls of the console: %j', (code, expected) => {
  expect(withoutConsole(code, 'a.ts', ['error'])?.code).toBe(expected)
})

test.each(['const log = console.log', 'window.console.log(1)', "'console.log(1)'", 'console[name]()'])(
  'X4 keeps what is no such call: %j',
  (code) => expect(withoutConsole(code, 'a.ts', [])).toBeUndefined(),
)
