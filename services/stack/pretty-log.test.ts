// The readable log: what a person sees of the services' JSON lines.

import { describe, expect, test } from 'vitest'
import { createStackLog } from './pretty-log.ts'

function setUp(options: { json?: boolean; colour?: boolean } = {}) {
  const written: string[] = []
  const log = createStackLog({
    out: { write: (text: string) => written.push(text) > 0 },
    json: options.json ?? false,
    colour: options.colour ?? false,
    now: () => new Date('2026-01-02T03:04:05.678Z'),
  })
  return { log, written }
}

describe('stack log', () => {
  test('O1 shows time, service, message and fields of a line', () => {
    const { log, written } = setUp()
    const line = { level: 'info', time: '2026-01-02T10:20:30.000Z', service: 'images', source: 'a b', msg: 'encoded' }
    log.writerFor('images')(`${JSON.stringify(line)}\n`)
    expect(written).toEqual(['10:20:30 images   encoded source="a b"\n'])
  })

  test('G7 shows a request as status, method, time and path, without fields for programs', () => {
    const { log, written } = setUp()
    const line = {
      level: 'info',
      time: '2026-01-02T10:20:30.000Z',
      service: 'gateway',
      event: 'request',
      method: 'GET',
    }
    const rest = {
      path: '/about',
      route: '/about',
      status: 200,
      ms: 3.2,
      by: 'renderer',
      requestId: 'abcdef0123456789',
    }
    log.writerFor('gateway')(`${JSON.stringify({ ...line, ...rest, cache: 'HIT' })}\n`)
    expect(written).toEqual(['10:20:30 gateway  200 GET      3.2 ms /about by=renderer cache=HIT\n'])
  })

  test('G7 shows a request once, not again for the service behind the gateway', () => {
    const { log, written } = setUp()
    const line = { level: 'info', time: '2026-01-02T10:20:30.000Z', service: 'images', event: 'request', status: 200 }
    log.writerFor('images')(`${JSON.stringify(line)}\n`)
    expect(written).toEqual([])
    log.writerFor('images')(`${JSON.stringify({ ...line, level: 'error', msg: 'request failed' })}\n`)
    expect(written).toHaveLength(1)
  })

  test('K3 names the process where a service has several', () => {
    const line = { level: 'info', time: '2026-01-02T10:20:30.000Z', service: 'renderer', msg: 'ready' }
    const readable = setUp()
    readable.log.writerFor('renderer 2')(`${JSON.stringify(line)}\nplain\n`)
    expect(readable.written).toEqual(['10:20:30 renderer 2 ready\n', '03:04:05 renderer 2 plain\n'])
    const json = setUp({ json: true })
    json.log.writerFor('renderer 2')(`${JSON.stringify(line)}\n`)
    expect(JSON.parse(json.written.join(''))).toEqual({ ...line, service: 'renderer 2' })
  })

  test('O1 joins lines that arrive in pieces', () => {
    const { log, written } = setUp()
    const write = log.writerFor('actions')
    write('{"time":"2026-01-02T10:20:30.000Z","service":"act')
    expect(written).toEqual([])
    write('ions","msg":"one"}\nplain te')
    write('xt\n')
    expect(written).toEqual(['10:20:30 actions  one\n', '03:04:05 actions  plain text\n'])
  })

  test('O1 shows the stack of an error below its line', () => {
    const { log, written } = setUp()
    const error = { message: 'boom', stack: 'Error: boom\n    at here' }
    const line = { level: 'error', time: '2026-01-02T10:20:30.000Z', service: 'renderer', msg: 'failed', error }
    log.writerFor('renderer')(`${JSON.stringify(line)}\n`)
    expect(written.join('')).toBe('10:20:30 renderer error failed\n           Error: boom\n               at here\n')
  })

  test('O1 shows the causes of an error below its stack', () => {
    const { log, written } = setUp()
    const cause = { message: 'no such table', stack: 'SqliteError: no such table\n    at there', cause: 'a string' }
    const error = {
      message: 'failed query',
      stack: 'Error: failed query\n    at here',
      cause,
      aggregateErrors: [{ message: 'one' }],
    }
    const line = { level: 'error', time: '2026-01-02T10:20:30.000Z', service: 'renderer', msg: 'failed', error }
    log.writerFor('renderer')(`${JSON.stringify(line)}\n`)
    expect(written.join('')).toBe(`10:20:30 renderer error failed
           Error: failed query
               at here
           Caused by: SqliteError: no such table
               at there
           Caused by: a string
           Caused by: one
`)
  })

  test('O1 shows what helps against an error above its stack', () => {
    const { log, written } = setUp()
    const error = { message: 'boom', stack: 'Error: boom', remedy: 'run: npm rebuild' }
    const line = { level: 'fatal', time: '2026-01-02T10:20:30.000Z', service: 'renderer', msg: 'failed', error }
    log.writerFor('renderer')(`${JSON.stringify(line)}\n`)
    expect(written.join('')).toBe(
      '10:20:30 renderer fatal failed\n           run: npm rebuild\n           Error: boom\n',
    )
  })

  test('O1 writes control characters of a service in readable form, and keeps its own colours', () => {
    const { log, written } = setUp({ colour: true })
    const error = { stack: 'Error: \x1b[31mno\x1b[39m \0virtual:pages\n\tat \x07here' }
    const line = { level: 'error', time: '2026-01-02T10:20:30.000Z', service: 'renderer', msg: 'failed \0', error }
    log.writerFor('renderer')(`${JSON.stringify({ ...line, path: '/\x9b2J' })}\n`)
    const text = written.join('')
    expect(text).toContain('\x1b[31merror\x1b[39m failed \\x00')
    expect(text).toContain('Error: no \\x00virtual:pages\n')
    expect(text).toContain('\tat \\x07here\n')
    for (const control of ['\0', '\x07', '\x9b']) expect(text).not.toContain(control)
  })

  test('O1 keeps JSON as JSON with --json, and turns plain text into JSON', () => {
    const { log, written } = setUp({ json: true })
    log.say('ready', { event: 'ready' })
    log.writerFor('images')('not json\n')
    expect(written.map((text) => JSON.parse(text))).toEqual([
      { level: 'info', time: '2026-01-02T03:04:05.678Z', service: 'stack', event: 'ready', msg: 'ready' },
      { level: 'info', time: '2026-01-02T03:04:05.678Z', service: 'images', msg: 'not json' },
    ])
  })

  test('O1 uses colours only if they are enabled', () => {
    const { log, written } = setUp({ colour: true })
    log.say('careful', {}, 'warn')
    expect(written.join('')).toContain('\x1b[33mwarn\x1b[39m')
  })
})
