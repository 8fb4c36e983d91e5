// Bodies at, below and above their limits, cut short, and malformed, through the service's port (A3, A7, E6).

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKey, postForm, sendRaw } from './testing/requests.ts'
import { defined, startActions, type TestActions } from './testing/start-actions.ts'

const LIMIT = 2000
/** A limit above the default, so that forms may be larger until they have named their action. */
const LARGE_LIMIT = 3 * 1024 * 1024

let service: TestActions
let calls: unknown[] = []

beforeEach(async () => {
  calls = []
  const remember = () => (input: unknown) => {
    calls.push(input)
  }
  service = await startActions({
    actions: {
      small: defined({ bodyLimitBytes: LIMIT }, remember()),
      large: defined({ bodyLimitBytes: LARGE_LIMIT }, remember()),
      plain: remember(),
    },
    api: { '/api/echo': { default: remember(), config: { bodyLimitBytes: LIMIT } } },
  })
})
afterEach(() => service.stop())

/** A JSON call of exactly that many bytes. */
function jsonOf(bytes: number): string {
  const frame = '{"args":[""]}'
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
}

/** A urlencoded form of exactly that many bytes. */
function formOf(id: string, bytes: number): string {
  const start = `$ACTION_ID_${id}=&a=`
  return start + 'x'.repeat(bytes - start.length)
}

function head(path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'h', 'sec-fetch-site': 'same-origin', connection: 'close', ...headers })
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

function chunked(body: string, pieces = 3): string[] {
  const size = Math.ceil(body.length / pieces)
  const parts: string[] = []
  for (let at = 0; at < body.length; at += size) {
    const piece = body.slice(at, at + size)
    parts.push(`${piece.length.toString(16)}\r\n${piece}\r\n`)
  }
  return [...parts, '0\r\n\r\n']
}

const SCRIPTED = { 'portico-action': 'small', 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const KINDS: [string, Record<string, string>, (bytes: number) => string, string][] = [
  ['a scripted call', SCRIPTED, jsonOf, '/'],
  ['a form', FORM, (bytes) => formOf('small', bytes), '/'],
]

describe.each(KINDS)('the limit of %s', (_kind, headers, bodyOf, path) => {
  it.each([
    ['declared', LIMIT - 1, true],
    ['declared', LIMIT, true],
    ['declared', LIMIT + 1, false],
    ['chunked', LIMIT - 1, true],
    ['chunked', LIMIT, true],
    ['chunked', LIMIT + 1, false],
  ])('A7 counts a %s body of %i bytes', async (how, bytes, isTaken) => {
    const body = bodyOf(bytes)
    expect(Buffer.byteLength(body)).toBe(bytes)
    const answer =
      how === 'declared'
        ? await sendRaw(service.port, [head(path, { ...headers, 'content-length': bytes }), body])
        : await sendRaw(service.port, [head(path, { ...headers, 'transfer-encoding': 'chunked' }), ...chunked(body)])
    expect(calls).toHaveLength(isTaken ? 1 : 0)
    if (isTaken) expect(answer).toMatch(/^HTTP\/1\.1 (200|303) /)
    else expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('a body above the limit', () => {
  it('A7 is answered with limit and received', async () => {
    const body = jsonOf(LIMIT + 500)
    const answer = await sendRaw(service.port, [head('/', { ...SCRIPTED, 'content-length': body.length }), body])
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: { status: 413, limit: LIMIT, received: LIMIT + 500 },
    })
  })

  it('A7 is refused by what it declares before any of it has come', async () => {
    const answer = await sendRaw(service.port, [head('/', { ...SCRIPTED, 'content-length': LIMIT + 1 })], { cut: true })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('A7 is refused while it arrives, before its end', async () => {
    const raw = sendRaw(service.port, [
      head('/', { ...SCRIPTED, 'transfer-encoding': 'chunked' }),
      `${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}\r\n`,
    ])
    expect(await raw).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('A7 has the default limit of 1 MiB for actions that set none', async () => {
    const post = (bytes: number) =>
      fetch(service.url, {
        method: 'POST',
        headers: { ...SCRIPTED, 'portico-action': 'plain', 'sec-fetch-site': 'same-origin' },
        body: jsonOf(bytes),
      })
    expect((await post(1_048_576)).status).toBe(200)
    const refused = await post(1_048_577)
    expect([refused.status, await refused.json()]).toMatchObject([413, { error: { limit: 1_048_576 } }])
  })

  it('A7 lets a form be as large as the action that it names takes', async () => {
    const multipart = (id: string) => {
      const form = new FormData()
      form.append(`$ACTION_ID_${id}`, '')
      form.append('file', new File([Buffer.alloc(2 * 1024 * 1024)], 'x.bin'))
      return postForm(service.url, form)
    }
    expect((await multipart('large')).status).toBe(303)
    const urlencoded = formOf('large', 2 * 1024 * 1024)
    expect((await postForm(service.url, new URLSearchParams(urlencoded))).status).toBe(303)
    expect((await multipart('plain')).status).toBe(413)
    expect((await multipart('small')).status).toBe(413)
    expect(calls).toHaveLength(2)
    expect(await service.uploads()).toEqual([])
  })

  it('A7 applies to API handlers alike', async () => {
    const post = (bytes: number) =>
      fetch(`${service.url}/api/echo`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: 'x'.repeat(bytes),
      })
    const refused = await post(LIMIT + 1)
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { error: { limit: LIMIT, received: LIMIT + 1 } },
    ])
    expect(calls).toHaveLength(0)
  })
})

const BOUNDARY = 'xBOUNDARYx'
const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const PARTS = [
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="$ACTION_ID_large"\r\n\r\n\r\n`,
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\n\r\nvalue\r\n`,
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="f.txt"\r\ncontent-type: text/plain\r\n\r\n${'y'.repeat(500)}\r\n`,
  `--${BOUNDARY}--\r\n`,
].join('')

describe('a body cut short', () => {
  it('A7 takes the whole one, so that the cuts below say something', async () => {
    await sendRaw(service.port, [head('/', { ...MULTIPART, 'content-length': PARTS.length }), PARTS])
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['JSON, declared', { ...SCRIPTED, 'content-length': 40 }, '{"args":[]}'],
    ['a form, declared', { ...FORM, 'content-length': 60 }, '$ACTION_ID_small=&a=1'],
    ['JSON, chunked', { ...SCRIPTED, 'transfer-encoding': 'chunked' }, 'b\r\n{"args":[]}\r\n'],
    ['a form, chunked', { ...FORM, 'transfer-encoding': 'chunked' }, '15\r\n$ACTION_ID_small=&a=1\r\n'],
  ])('A7 never reaches the handler: %s', async (_name, headers, body) => {
    await sendRaw(service.port, [head('/', headers), body], { cut: true })
    expect(calls).toHaveLength(0)
  })

  it('A7 never reaches the handler: multipart cut at any byte', async () => {
    for (let at = 1; at < PARTS.length - 4; at += 13) {
      const cut = PARTS.slice(0, at)
      // The connection ends …
      if (at % 5 === 0)
        await sendRaw(service.port, [head('/', { ...MULTIPART, 'content-length': PARTS.length }), cut], { cut: true })
      // … or the sender says that this was all.
      const answer = await sendRaw(service.port, [head('/', { ...MULTIPART, 'content-length': at }), cut])
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(calls).toHaveLength(0)
    await expect.poll(() => service.uploads()).toEqual([])
  })
})

describe('what a body holds', () => {
  const call = (body: string | FormData, headers: Record<string, string> = {}) =>
    fetch(service.url, {
      method: 'POST',
      headers: {
        'sec-fetch-site': 'same-origin',
        'portico-action': 'plain',
        'idempotency-key': createKey(),
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      body,
    })
  const nest = (depth: number) => `{"args":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

  it.each([
    ['no JSON', '{"args":[', 'not JSON'],
    ['an own __proto__', '{"args":[{"a":{"__proto__":{"admin":true}}}]}', '"args.0.a.__proto__"'],
    ['a constructor', '{"args":[{"constructor":1}]}', '"args.0.constructor"'],
    ['a prototype', '{"args":[{"prototype":1}]}', '"args.0.prototype"'],
    ['33 levels', nest(33), 'deeper than 32'],
    ['100 000 levels', nest(100_000), 'deeper than 32'],
    ['a long key', `{"args":[{"${'k'.repeat(201)}":1}]}`, 'longer than 200'],
    ['args that are no list', '{"args":{}}', '"args"'],
    ['null', 'null', '"args"'],
    ['a bound that is no text', '{"args":[],"bound":[]}', '"bound"'],
  ])('A3 refuses %s with 400 and says why', async (_name, body, why) => {
    const response = await call(body)
    expect([response.status, (await response.json()).error.message]).toEqual([400, expect.stringContaining(why)])
    expect(calls).toEqual([])
  })

  it('A3 takes 32 levels', async () => {
    expect((await call(nest(32))).status).toBe(200)
  })

  it('A3 refuses JSON that is not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
    const answer = await sendRaw(service.port, [head('/', { ...SCRIPTED, 'content-length': body.length }), body])
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it.each(['__proto__', 'constructor', 'prototype'])('A3 refuses a form field named %s and names it', async (name) => {
    const response = await postForm(service.url, [
      ['$ACTION_ID_plain', ''],
      [name, 'x'],
    ])
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(name)])
    expect(calls).toEqual([])
  })

  it('A3 takes fields named like members that every object inherits', async () => {
    await postForm(service.url, [
      ['$ACTION_ID_plain', ''],
      ['toString', 'x'],
      ['hasOwnProperty', 'y'],
      ['hasOwnProperty', 'z'],
    ])
    expect(calls).toEqual([{ toString: 'x', hasOwnProperty: ['y', 'z'] }])
  })

  it.each([
    ['1000 fields', 999, 303],
    ['1001 fields', 1000, 400],
  ])('A3 counts %s', async (_name, more, status) => {
    const entries = Array.from({ length: more }, (_, n): [string, string] => [`f${n}`, ''])
    const fields: [string, string][] = [['$ACTION_ID_plain', ''], ...entries]
    expect((await postForm(service.url, fields)).status).toBe(status)
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, `${value}m`)
    expect((await postForm(service.url, form)).status).toBe(status)
  })

  it.each([
    [20, 303],
    [21, 400],
  ])('A3 counts %i files', async (count, status) => {
    const form = new FormData()
    form.append('$ACTION_ID_plain', '')
    for (let n = 0; n < count; n++) form.append('file', new File(['x'], `${n}.txt`))
    expect((await postForm(service.url, form)).status).toBe(status)
    expect(await service.uploads()).toEqual([])
  })

  it.each([
    ['a field name of 201 characters', () => [['k'.repeat(201), 'x'] as [string, string]], 400],
    ['a field name of 200 characters', () => [['k'.repeat(200), 'x'] as [string, string]], 303],
  ])('A3 answers %s', async (_name, fields, status) => {
    expect((await postForm(service.url, [['$ACTION_ID_plain', ''], ...fields()])).status).toBe(status)
  })

  it.each([
    ['text/plain', 'x'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['application/json-patch+json', '[]'],
  ])('A3 answers 415 to a scripted call as %s', async (type, body) => {
    expect((await call(body, { 'content-type': type })).status).toBe(415)
  })

  it('A3 answers 415 to a compressed body', async () => {
    expect((await call('x', { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  it.each([
    ['without a boundary', 'multipart/form-data', PARTS],
    ['with another boundary', 'multipart/form-data; boundary=other', PARTS],
    ['with a broken header', MULTIPART['content-type'], `--${BOUNDARY}\r\nx\x01y\r\n\r\n\r\n--${BOUNDARY}--\r\n`],
    [
      'with a nameless part',
      MULTIPART['content-type'],
      `--${BOUNDARY}\r\ncontent-disposition: form-data\r\n\r\nx\r\n--${BOUNDARY}--\r\n`,
    ],
    ['of nothing', MULTIPART['content-type'], ''],
  ])('E6 answers 400 to multipart %s', async (_name, type, body) => {
    expect((await call(body, { 'content-type': type })).status).toBe(400)
    expect(calls).toEqual([])
  })

  it.each(['short', 'x'.repeat(129), 'has space in it, this one'])('A5 refuses the idempotency key %s', async (key) => {
    expect((await call('{"args":[]}', { 'idempotency-key': key })).status).toBe(400)
  })

  it('A3 answers 400 to scripted multipart without $args', async () => {
    const form = new FormData()
    form.append('a', '1')
    expect((await call(form)).status).toBe(400)
  })
})
