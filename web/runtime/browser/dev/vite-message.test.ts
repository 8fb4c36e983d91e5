// What Vite tells its client, as far as the overlay listens.

import { expect, test } from 'vitest'
import { parseViteMessage } from './vite-message.ts'

test('V2 reads place, message and frame of an error that Vite tells of', () => {
  const frame = '  1  |  const a = 1\n> 2  |  const = 2\n     |        ^\n  3  |  '
  const news = parseViteMessage(
    JSON.stringify({
      type: 'error',
      err: {
        message: '\u001b[31mUnexpected token\u001b[39m\n',
        id: '/site/pages/index.tsx?t=1',
        loc: { file: '/site/pages/index.tsx', line: 2, column: 6 },
        frame,
      },
    }),
  )
  expect(news).toEqual({
    kind: 'error',
    error: {
      source: 'build',
      message: 'Unexpected token',
      file: '/site/pages/index.tsx',
      line: 2,
      column: 7,
      frame: [
        { line: 1, text: 'const a = 1', isFault: false },
        { line: 2, text: 'const = 2', isFault: true },
        { line: 3, text: '', isFault: false },
      ],
      stack: [],
    },
  })
})

test('V2 names the module where Vite knows no place', () => {
  const news = parseViteMessage('{"type":"error","err":{"message":"broken","id":"/site/lib/a.ts?x"}}')
  expect(news).toMatchObject({ kind: 'error', error: { file: '/site/lib/a.ts', message: 'broken' } })
})

test.each([
  ['{"type":"update","updates":[]}', 'update'],
  ['{"type":"full-reload"}', 'update'],
  ['{"type":"connected"}', 'other'],
])('V2 takes %s for %s', (data, kind) => {
  expect(parseViteMessage(data)).toEqual({ kind })
})
