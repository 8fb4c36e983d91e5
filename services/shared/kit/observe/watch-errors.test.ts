import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { watchErrors } from './watch-errors.ts'

test('V3 a watched log reports each logged error with its fields, and writes the same lines', () => {
  const lines: Record<string, unknown>[] = []
  const reported: unknown[] = []
  const log = createLog('renderer', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const watched = watchErrors(log, (error, fields) => reported.push([error, fields]))
  const error = new Error('boom')
  watched.error({ error, digest: '0123456789', requestId: 'r', status: 500 }, 'render failed')
  watched.info({ event: 'ready' }, 'ready')
  expect(reported).toEqual([[error, { digest: '0123456789', requestId: 'r' }]])
  expect(lines).toMatchObject([
    { level: 'error', service: 'renderer', error: { message: 'boom' }, digest: '0123456789', msg: 'render failed' },
    { level: 'info', event: 'ready', msg: 'ready' },
  ])
})
