// Finding the lines of a request in logs of every form.

import { expect, it } from 'vitest'
import { collectLines, type LogSource } from './collect-lines.ts'

const ID = '3f2a91c07be4d518'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const DIGEST = '5f0c1e9a7b'

/** A line at this many milliseconds of a minute. */
const line = (at: number, fields: object) =>
  JSON.stringify({ level: 'info', time: new Date(Date.UTC(2026, 0, 1) + at).toISOString(), ...fields })
const access = (at: number, requestId: string, fields: object = {}) =>
  line(at, { service: 'gateway', event: 'request', status: 200, ms: 10, requestId, traceId: TRACE, ...fields })
const ERROR = line(100, { service: 'renderer', msg: 'request failed', digest: DIGEST })
const RENDERED = line(95, { service: 'renderer', msg: 'render failed', requestId: ID })
const OTHER = line(96, { service: 'gateway', event: 'request', requestId: 'f'.repeat(16), traceId: 'e'.repeat(32) })

/** In pieces of `length` characters. */
const source = (text: string, isRepeatable = true, length = 7): LogSource => ({
  isRepeatable,
  async *open() {
    for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
  },
})
const found = async (logs: LogSource, name = ID) => (await collectLines(logs, name)).lines

it.each([
  ['', 'gateway'],
  ['gateway-1   | ', 'gateway-1'],
  ['\u001b[36mgateway-2  |\u001b[0m ', 'gateway-2'],
  ['gateway-1  | 2026-01-01T00:00:00.105Z ', 'gateway-1'],
  ['2026-01-01T00:00:00.105Z ', 'gateway'],
  ['portico_gateway.1.k3j@node-a    | ', 'portico_gateway.1.k3j@node-a'],
  ['[pod/gateway-7d9c5/gateway] ', 'gateway-7d9c5'],
])('G7 finds the line behind the prefix %j', async (prefix, name) => {
  const lines = await found(source(`${prefix}${OTHER}\n${prefix}${access(105, ID)}\r\n`))
  expect(lines.map((each) => [each.source, each.fields.requestId])).toEqual([[name, ID]])
})

it.each([true, false])(
  'G7 finds lines of all services by request, trace and digest, in the order of their times (file: %s)',
  async (isRepeatable) => {
    // As `docker compose logs` prints them: the services one after the other.
    const logs = `renderer-1 | ${ERROR}\nrenderer-1 | ${RENDERED}\ngateway-1 | ${OTHER}\ngateway-1 | ${access(105, ID, { digest: DIGEST })}\n`
    for (const name of [ID, TRACE, DIGEST]) {
      const lines = await found(source(logs, isRepeatable), name)
      expect(lines.map(({ fields }) => fields.msg ?? fields.event)).toEqual([
        'render failed',
        'request failed',
        'request',
      ])
    }
  },
)

it('G7 a request has the requests that its page made, but not others with the id of its trace', async () => {
  const inner = access(100, 'a'.repeat(16))
  const later = access(30_000, 'b'.repeat(16))
  const logs = source([inner, access(105, ID), later].join('\n'))
  expect((await found(logs)).map(({ fields }) => fields.requestId)).toEqual(['a'.repeat(16), ID])
  expect(await found(logs, TRACE)).toHaveLength(3)
})

it('G7 a request that is missing leaves what the logs contain', async () => {
  const counted = line(200, { service: 'gateway', event: 'requests', notLogged: 897 })
  const { lines, seen } = await collectLines(source(`plain text with ${ID}\n{"broken ${ID}\n${OTHER}\n${counted}`), ID)
  expect(lines).toEqual([])
  expect(seen).toEqual({
    lines: 4,
    json: 3,
    notLogged: 897,
    from: '2026-01-01T00:00:00.096Z',
    to: '2026-01-01T00:00:00.200Z',
  })
})

it('G7 an id in another field ties no line to the request', async () => {
  expect(await found(source(line(1, { service: 'actions', path: `/x/${ID}`, requestId: 'c'.repeat(16) })))).toEqual([])
})

it('G7 reads logs of any size in bounded memory', async () => {
  const many = `${OTHER}\n`.repeat(1000)
  const endless = 'x'.repeat(300_000)
  const logs: LogSource = {
    isRepeatable: false,
    async *open() {
      yield `${ERROR}\n`
      for (let at = 0; at < 100; at++) yield many
      for (let at = 0; at < 20; at++) yield endless
      yield `${ID}\n${access(105, ID, { digest: DIGEST })}\n`
      for (let at = 0; at < 300; at++) yield `${access(110, ID)}\n`
    },
  }
  const { lines, leftOut, seen } = await collectLines(logs, ID)
  expect(seen.lines).toBe(100_302)
  // The error is too long ago.
  expect([lines.length, leftOut, lines.some(({ fields }) => fields.msg === 'request failed')]).toEqual([
    200,
    101,
    false,
  ])
})

it('G7 other requests of a trace leave room for the lines of the request', async () => {
  const others = Array.from({ length: 300 }, () => access(105, 'a'.repeat(16)))
  const { lines, leftOut } = await collectLines(source([...others, RENDERED, access(105, ID)].join('\n')), ID)
  expect([lines.filter(({ fields }) => fields.requestId === ID).length, leftOut]).toEqual([2, 200])
})

it('G7 SECURITY: a line with an escape sequence does not control the terminal', async () => {
  const [only] = await found(source(access(1, ID, { path: '/\u001b]0;x\u0007y' })))
  expect(only?.fields.path).toBe('/y')
})
