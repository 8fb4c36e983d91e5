import { expect, test, vi } from 'vitest'
import { createLog, createOutput } from './log.ts'

test('O7 a line is one JSON object with level, time and service before its own fields', () => {
  const lines: string[] = []
  createLog('gateway', 'info', { write: (line: string) => void lines.push(line) }).info({ status: 200 }, 'text')
  expect(lines.map((line) => line.replace(/"time":"[^"]+"/, '"time":""'))).toEqual([
    '{"level":"info","time":"","service":"gateway","status":200,"msg":"text"}\n',
  ])
})

test('O7 buffered lines keep their order and their characters, whatever their length', () => {
  vi.useFakeTimers()
  let written = ''
  const standardOutput = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += chunk
    return true
  })
  try {
    const lines = ['first', 'ä€😀'.repeat(100), 'x'.repeat(70_000), '€'.repeat(21_000), '€'.repeat(21_000), 'last']
    const output = createOutput()
    for (const line of lines) output.write(`${line}\n`)
    vi.advanceTimersByTime(100)
    expect(written === lines.map((line) => `${line}\n`).join('')).toBe(true)
  } finally {
    standardOutput.mockRestore()
    vi.useRealTimers()
  }
})
