import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('O7 a line is one JSON object with level, time and service before its own fields', () => {
  const lines: string[] = []
  createLog('gateway', 'info', { write: (line: string) => void lines.push(line) }).info({ status: 200 }, 'text')
  expect(lines.map((line) => line.replace(/"time":"[^"]+"/, '"time":""'))).toEqual([
    '{"level":"info","time":"","service":"gateway","status":200,"msg":"text"}\n',
  ])
})
