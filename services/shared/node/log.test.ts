import { expect, test } from 'vitest'
import { createLog, jsonText, writeFields } from './log.ts'

test('G7 a line of fields written by hand equals a line that the log wrote', () => {
  const lines: string[] = []
  const log = createLog('gateway', 'info', { write: (line: string) => void lines.push(line) })
  log.info({ event: 'request', status: 200, path: '/a' })
  writeFields(log, ',"event":"request","status":200,"path":"/a"')
  const [theirs, ours] = lines.map((line) => line.replace(/"time":"[^"]+"/, '"time":""'))
  expect(ours).toBe(theirs)
  expect(lines[1]?.endsWith('}\n')).toBe(true)
})

test('G7 a line of fields obeys the level of the log', () => {
  const lines: string[] = []
  writeFields(createLog('gateway', 'warn', { write: (line: string) => void lines.push(line) }), ',"event":"request"')
  expect(lines).toEqual([])
})

test('G7 no text can break out of its field', () => {
  for (const text of [
    '',
    '/plain',
    '/a"b',
    'back\\slash',
    'line\nend',
    '\u0000\u001f\u007f',
    'caf\u00e9 \u2028 \ud83d',
    '","x":"',
  ])
    expect([text, JSON.parse(jsonText(text))]).toEqual([text, text])
})
