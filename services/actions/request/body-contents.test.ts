// The allowed contents of a body, and the refusal of malformed bodies, through the service's port (A3, E6).

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKey, postForm, rawHead, sendRaw } from '../testing/requests.ts'
import { startActions, type TestActions } from '../testing/start-actions.ts'

let service: TestActions
let calls: unknown[] = []

beforeEach(async () => {
  calls = []
  service = await startActions({
    actions: {
      plain: (input) => {
        calls.push(input)
      },
    },
  })
})
afterEach(() => service.stop())

const BOUNDARY = 'xBOUNDARYx'
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`

describe('the contents of a body', () => {
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
  ])('A3 refuses %s with 400 and the reason', async (_name, body, why) => {
    const response = await call(body)
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining(why) }) }),
    ])
    expect(calls).toEqual([])
  })

  it('A3 accepts 32 levels', async () => {
    expect((await call(nest(32))).status).toBe(200)
  })

  it('A3 refuses JSON that is not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
    const response = await sendRaw(service.port, [
      rawHead('/', { 'portico-action': 'plain', 'content-type': 'application/json', 'content-length': body.length }),
      body,
    ])
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
  })

  it.each(['__proto__', 'constructor', 'prototype'])(
    'A3 refuses a form field named %s and reports the name',
    async (name) => {
      const response = await postForm(service.url, [
        ['$ACTION_ID_plain', ''],
        [name, 'x'],
      ])
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(name)])
      expect(calls).toEqual([])
    },
  )

  it('A3 accepts fields named like inherited members of objects', async () => {
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
  ])('A3 responds to %s', async (_name, fields, status) => {
    expect((await postForm(service.url, [['$ACTION_ID_plain', ''], ...fields()])).status).toBe(status)
  })

  it.each([
    ['text/plain', 'x'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['application/json-patch+json', '[]'],
  ])('A3 responds 415 to a scripted call as %s', async (type, body) => {
    expect((await call(body, { 'content-type': type })).status).toBe(415)
  })

  it('A3 responds 415 to a compressed body', async () => {
    expect((await call('x', { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  it.each([
    ['without a boundary', 'multipart/form-data', `--${BOUNDARY}--\r\n`],
    ['with another boundary', 'multipart/form-data; boundary=other', `--${BOUNDARY}--\r\n`],
    ['with a broken header', MULTIPART, `--${BOUNDARY}\r\nx\x01y\r\n\r\n\r\n--${BOUNDARY}--\r\n`],
    [
      'with a nameless part',
      MULTIPART,
      `--${BOUNDARY}\r\ncontent-disposition: form-data\r\n\r\nx\r\n--${BOUNDARY}--\r\n`,
    ],
    ['of nothing', MULTIPART, ''],
  ])('E6 responds 400 to multipart %s', async (_name, type, body) => {
    expect((await call(body, { 'content-type': type })).status).toBe(400)
    expect(calls).toEqual([])
  })

  it.each(['short', 'x'.repeat(129), 'has space in it, this one'])('A5 refuses the idempotency key %s', async (key) => {
    expect((await call('{"args":[]}', { 'idempotency-key': key })).status).toBe(400)
  })

  it('A3 responds 400 to a field in an unsupported charset, and does not ignore the field', async () => {
    const field = (name: string, type: string, value: string) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n${type}\r\n${value}\r\n`
    const args = field('$args', '', '[{"$portico":"form"}]')
    const text = field('text', 'Content-Type: text/plain; charset=shift_jis\r\n', 'abc')
    const response = await call(`${args}${text}--${BOUNDARY}--\r\n`, { 'content-type': MULTIPART })
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining('UTF-8') }) }),
    ])
    expect(calls).toEqual([])
  })

  it.each([
    ['is no header', 'x\x01y\r\nContent-Disposition: form-data; name="b"'],
    ['has a line feed in its name', 'Content-Disposition: form-data; name="b\nb"'],
    ['has a header of 90 000 bytes', `X: ${'y'.repeat(90_000)}\r\nContent-Disposition: form-data; name="b"`],
  ])('A3 responds 400 to a form in which a part %s, and does not ignore the part', async (_what, broken) => {
    const field = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n\r\n`
    const form = (part: string) => `${field('$ACTION_ID_plain')}${part}${field('c')}--${BOUNDARY}--\r\n`
    const post = (body: string) =>
      fetch(service.url, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': MULTIPART },
        redirect: 'manual',
        body,
      })
    expect((await post(form(`--${BOUNDARY}\r\n${broken}\r\n\r\nv\r\n`))).status).toBe(400)
    expect(calls).toEqual([])
    expect((await post(form(field('b')))).status).toBe(303)
    expect(calls).toEqual([{ b: '', c: '' }])
  })

  it('A3 responds 400 to scripted multipart without $args', async () => {
    const form = new FormData()
    form.append('a', '1')
    expect((await call(form)).status).toBe(400)
  })
})
