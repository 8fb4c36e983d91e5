import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
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

test('O7 no line is lost when the process exits while the reader of the log is late', async () => {
  const lines = 3000
  const script = `
    import { createOutput } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    const output = createOutput()
    for (let line = 1; line <= ${lines}; line++) output.write('x'.repeat(200) + ' ' + line + '\\n')
    process.stderr.write('written')
    await output.drain(10_000)
    process.exit(7)
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await once(child.stderr, 'data')
  const exited = once(child, 'exit')
  const text = (await child.stdout.toArray()).join('')
  expect(text.split('\n').at(-2)?.split(' ')[1]).toBe(`${lines}`)
  expect(await exited).toEqual([7, null])
})
