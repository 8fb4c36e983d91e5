import { once } from 'node:events'
import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { sendError } from '../http/error-response.ts'
import { createLog } from './log.ts'
import { logRequest, type OwnFields, onRequestEnd } from './request-log.ts'

const lines: Record<string, unknown>[] = []
const log = createLog('gateway', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) })
const REQUEST = { method: 'GET', path: '/a', requestId: '0123456789abcdef' }

afterEach(() => {
  lines.length = 0
})

describe('the line of a request', () => {
  it('G7 has the members of every service in one order, then those of this service', () => {
    logRequest(log, REQUEST, { status: 200, ms: 1.26, isComplete: true }, { route: '/[id]', cache: undefined })
    expect(Object.keys(lines[0] ?? {})).toEqual([
      'level',
      'time',
      'service',
      'event',
      'method',
      'path',
      'status',
      'ms',
      'requestId',
      'route',
      'msg',
    ])
    expect(lines[0]).toMatchObject({
      level: 'info',
      event: 'request',
      ...REQUEST,
      status: 200,
      ms: 1.3,
      route: '/[id]',
    })
  })

  it('G7 is one line for every path', () => {
    for (const path of ['/a"b', '/back\\slash', '/line\nend', '/\u0000\u007f', '/","x":"', '/caf\u00e9\u2028']) {
      logRequest(log, { ...REQUEST, path }, { status: 200, ms: 1, isComplete: true }, {})
      expect(lines.at(-1)?.path).toBe(path)
    }
  })

  it('G7 obeys the level of the log', () => {
    const write = (line: string) => void lines.push(JSON.parse(line))
    logRequest(createLog('gateway', 'warn', { write }), REQUEST, { status: 200, ms: 1, isComplete: true }, {})
    expect(lines).toEqual([])
  })

  it('G7 is a warning when the service gives a reason', () => {
    logRequest(log, REQUEST, { status: 404, ms: 1, isComplete: true }, { reason: 'no image' })
    expect(lines[0]).toMatchObject({ level: 'warn', reason: 'no image' })
  })

  it.each<[title: string, respond: RequestListener, expected: OwnFields]>([
    ['a whole response has its status', (_request, response) => response.writeHead(404).end(), { status: 404 }],
    [
      'an error response has its code',
      (_request, response) => sendError(response, 'data', { code: 'overloaded' }),
      { status: 503, code: 'overloaded' },
    ],
    [
      'a response that broke off is incomplete',
      (_request, response) => response.writeHead(200).write('part', () => response.destroy()),
      { status: 200, incomplete: true },
    ],
    [
      'a request without a response has status 499',
      (_request, response) => response.destroy(),
      { status: 499, incomplete: true },
    ],
  ])('G7 %s', async (_title, respond, expected) => {
    const server = createServer((request, response) => {
      onRequestEnd(response, (end) => logRequest(log, REQUEST, end, {}))
      respond(request, response)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    get({ host: '127.0.0.1', port, agent: false }, (response) => response.on('error', () => {}).resume()).on(
      'error',
      () => {},
    )
    await expect.poll(() => lines.length).toBe(1)
    server.close()
    expect(lines[0]).toMatchObject(expected)
    expect('incomplete' in lines[0]!).toBe('incomplete' in expected)
  })
})
