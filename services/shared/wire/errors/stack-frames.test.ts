import { describe, expect, test } from 'vitest'
import { codeFrame, isStackLine, parseStackFrames } from './stack-frames.ts'

const SITE = 'http://site.test:8080'

describe('frames', () => {
  test.each([
    ['V8', `Error: boom\n    at Page (${SITE}/a.tsx?t=1:12:5)\n    at ${SITE}/b.ts:1:2`],
    ['V8, awaited', `Error: boom\n    at async Page (${SITE}/a.tsx?t=1:12:5)\n    at async ${SITE}/b.ts:1:2`],
    ['Firefox and Safari', `Page@${SITE}/a.tsx?t=1:12:5\n@${SITE}/b.ts:1:2\n[native code]`],
  ])('V2 reads a stack of %s', (_name, stack) => {
    expect(parseStackFrames(stack)).toEqual([
      { name: 'Page', location: `${SITE}/a.tsx?t=1`, line: 12, column: 5 },
      { name: '', location: `${SITE}/b.ts`, line: 1, column: 2 },
    ])
  })

  test.each([
    ['    at Page (file:///site/pages/a%20b.tsx:3:4)', 'Page', 'file:///site/pages/a%20b.tsx'],
    ['    at new Store (/site/lib/(shop)/store.ts:3:4)', 'new Store', '/site/lib/(shop)/store.ts'],
    ['    at async getServerSideProps (/site/pages/my page.tsx:3:4)', 'getServerSideProps', '/site/pages/my page.tsx'],
    ['    at Object.<anonymous> (C:\\site\\pages\\a.tsx:3:4)', 'Object.<anonymous>', 'C:\\site\\pages\\a.tsx'],
    ['    at node:internal/process/task_queues:3:4', '', 'node:internal/process/task_queues'],
    ['    at /site/pages/a.tsx:3:4', '', '/site/pages/a.tsx'],
  ])('V2 reads the location of %j', (text, name, location) => {
    expect(parseStackFrames(text)).toEqual([{ name, location, line: 3, column: 4 }])
  })

  test.each([
    'Error: boom',
    '    at <anonymous>',
    '    at Array.map (<anonymous>)',
    '    at eval (eval at run (/site/a.ts:1:2), <anonymous>:1:1)',
    '[native code]',
    '',
  ])('V2 skips %j, which has no location in a file', (text) => {
    expect(parseStackFrames(text)).toEqual([])
  })
})

test('V2 recognises the lines of a stack in the message of a bundler', () => {
  expect(['Cannot read', '    at Page (/a.tsx:1:2)', 'at the end'].map(isStackLine)).toEqual([false, true, false])
})

test.each([
  [1, [1, 2, 3, 4, 5]],
  [6, [2, 3, 4, 5, 6, 7, 8, 9]],
  [9, [5, 6, 7, 8, 9]],
])('V2 cuts four lines before and after line %i out of a source', (faultLine, lines) => {
  const frame = codeFrame('1\n2\n3\n4\n5\n6\n7\n8\n9', faultLine)
  expect(frame.map(({ line }) => line)).toEqual(lines)
  expect(frame.filter(({ isFault }) => isFault)).toEqual([{ line: faultLine, text: String(faultLine), isFault: true }])
})
