// Bodies at, below and above their limits, and incomplete bodies, through the service's port (A7).

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postForm, rawHead, sendRaw } from '../testing/requests.ts'
import { defined, startActions, type TestActions } from '../testing/start-actions.ts'
import { apiModule } from '../testing/start-api.ts'

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
    api: {
      '/api/echo': apiModule(
        (request, response) => {
          calls.push(request.body)
          response.json({})
        },
        { bodyLimitBytes: LIMIT },
      ),
    },
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
  ['an API call', { 'content-type': 'text/plain' }, (bytes) => 'x'.repeat(bytes), '/api/echo'],
]

describe.each(KINDS)('the limit of %s', (_kind, headers, bodyOf, path) => {
  it.each([
    ['declared', LIMIT - 1, true],
    ['declared', LIMIT, true],
    ['declared', LIMIT + 1, false],
    ['declared', LIMIT * 10, false],
    ['chunked', LIMIT - 1, true],
    ['chunked', LIMIT, true],
    ['chunked', LIMIT + 1, false],
    ['chunked', LIMIT * 10, false],
  ])('A7 counts a %s body of %i bytes', async (how, bytes, isTaken) => {
    const body = bodyOf(bytes)
    expect(Buffer.byteLength(body)).toBe(bytes)
    const response =
      how === 'declared'
        ? await sendRaw(service.port, [rawHead(path, { ...headers, 'content-length': bytes }), body])
        : await sendRaw(service.port, [rawHead(path, { ...headers, 'transfer-encoding': 'chunked' }), ...chunked(body)])
    expect(calls).toHaveLength(isTaken ? 1 : 0)
    if (isTaken) expect(response).toMatch(/^HTTP\/1\.1 (200|303) /)
    else expect(response).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('a body above the limit', () => {
  it('A7 results in limit and received', async () => {
    const body = jsonOf(LIMIT + 500)
    const response = await sendRaw(service.port, [rawHead('/', { ...SCRIPTED, 'content-length': body.length }), body])
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: { status: 413, limit: LIMIT, received: LIMIT + 500 },
    })
  })

  it('A7 is refused by its Content-Length before any byte arrives', async () => {
    const response = await sendRaw(service.port, [rawHead('/', { ...SCRIPTED, 'content-length': LIMIT + 1 })])
    expect(response).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('A7 is refused while it arrives, before its end', async () => {
    const raw = sendRaw(service.port, [
      rawHead('/', { ...SCRIPTED, 'transfer-encoding': 'chunked' }),
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

  it('A7 allows a form up to the limit of the named action', async () => {
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
  it('A7 is accepted when complete, which proves the next tests', async () => {
    await sendRaw(service.port, [rawHead('/', { ...MULTIPART, 'content-length': PARTS.length }), PARTS])
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['JSON, declared', { ...SCRIPTED, 'content-length': 40 }, '{"args":[]}'],
    ['a form, declared', { ...FORM, 'content-length': 60 }, '$ACTION_ID_small=&a=1'],
    ['JSON, chunked', { ...SCRIPTED, 'transfer-encoding': 'chunked' }, 'b\r\n{"args":[]}\r\n'],
    ['a form, chunked', { ...FORM, 'transfer-encoding': 'chunked' }, '15\r\n$ACTION_ID_small=&a=1\r\n'],
  ])('A7 never reaches the handler: %s', async (_name, headers, body) => {
    await sendRaw(service.port, [rawHead('/', headers), body], { cut: true })
    expect(calls).toHaveLength(0)
  })

  it('A7 never reaches the handler: multipart cut at any byte', async () => {
    for (let at = 1; at < PARTS.length - 4; at += 13) {
      const cut = PARTS.slice(0, at)
      // The connection ends …
      if (at % 5 === 0)
        await sendRaw(service.port, [rawHead('/', { ...MULTIPART, 'content-length': PARTS.length }), cut], {
          cut: true,
        })
      // … or the sender says that this was all.
      const response = await sendRaw(service.port, [rawHead('/', { ...MULTIPART, 'content-length': at }), cut])
      expect(response).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(calls).toHaveLength(0)
    await expect.poll(() => service.uploads()).toEqual([])
  })
})
