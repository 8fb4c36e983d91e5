// The request of an API handler, through the service's port (A8).

import { afterEach, describe, expect, it } from 'vitest'
import { startActions, type TestActions } from '../testing/start-actions.ts'
import { apiModule, type Handler, startApi } from '../testing/start-api.ts'

let service: TestActions | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

async function start(...options: Parameters<typeof startApi>): Promise<TestActions> {
  service = await startApi(...options)
  return service
}

const SAME = { 'sec-fetch-site': 'same-origin' }

describe('the request of an API handler', () => {
  it('A8 has query, dynamic params, cookies and method', async () => {
    const handler: Handler = ({ query, cookies, method }, response) => response.json({ query, cookies, method })
    const api = {
      '/api/places/[slug]': apiModule(handler),
      '/api/files/[...rest]': apiModule(handler),
      '/api/[[...all]]': apiModule(handler),
      '/api/places/new': apiModule((_request, response) => response.json('static')),
    }
    service = await startActions({ api })
    const { url } = service
    const get = async (path: string) =>
      (await fetch(url + path, { headers: { cookie: 'a=1; b=%20; __proto__=x' } })).json()
    expect(await get('/api/places/a%20b?slug=c&tag=1&tag=2&__proto__=3&e=')).toEqual({
      query: { slug: 'a b', tag: ['1', '2'], ['__proto__']: '3', e: '' },
      cookies: { a: '1', b: ' ', ['__proto__']: 'x' },
      method: 'GET',
    })
    expect(await get('/api/files/a/b')).toMatchObject({ query: { rest: ['a', 'b'] } })
    expect(await get('/api')).toMatchObject({ query: {} })
    expect(await get('/api/places/new')).toBe('static')
  })

  it.each<[string, string | undefined, string | Buffer | undefined, unknown]>([
    ['JSON', 'application/json', '{"a":[1]}', { a: [1] }],
    ['JSON with a charset', 'application/json; charset=utf-8', '"ä"', 'ä'],
    ['JSON of another name', 'application/merge-patch+json', '{}', {}],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=2&b=3', { a: '1', b: ['2', '3'] }],
    ['text', 'text/plain', 'ä', 'ä'],
    ['bytes', 'application/octet-stream', Buffer.from([1, 255]), { bytes: [1, 255] }],
    ['nothing', undefined, undefined, { undefined: true }],
    ['an empty JSON body', 'application/json', '', { undefined: true }],
  ])('A8 has %s as its body', async (_name, type, body, expected) => {
    const { url } = await start(({ body: parsed }, response) => {
      if (Buffer.isBuffer(parsed)) return response.json({ bytes: [...parsed] })
      response.json(parsed === undefined ? { undefined: true } : parsed)
    })
    const headers: Record<string, string> = { ...SAME, ...(type === undefined ? {} : { 'content-type': type }) }
    const sent = typeof body === 'string' || body === undefined ? body : new Uint8Array(body)
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers, body: sent ?? null })
    expect(await response.json()).toEqual(expected)
  })

  it('A8 has multipart fields and files, which are deleted when the response is sent', async () => {
    const { url, uploads } = await start(async ({ body }, response) => {
      const { name, file } = body as { name: string; file: File }
      response.json([name, file.name, await file.text()])
    })
    const form = new FormData()
    form.append('name', 'x')
    form.append('file', new File(['text'], 'f.txt'))
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: SAME, body: form })
    expect(await response.json()).toEqual(['x', 'f.txt', 'text'])
    await expect.poll(uploads).toEqual([])
  })

  it.each([{ bodyParser: false }, { api: { bodyParser: false } }])('A8 is left unread with %j', async (config) => {
    const { url } = await start(async (request, response) => {
      let length = 0
      for await (const chunk of request) length += (chunk as Buffer).length
      response.json({ body: request.body === undefined, length })
    }, config)
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: SAME, body: '{broken' })
    expect(await response.json()).toEqual({ body: true, length: 7 })
  })

  it.each([{ bodyLimitBytes: 8 }, { api: { bodyParser: { sizeLimit: '8b' } } }])(
    'A7 responds 413 to a body above the limit of %j',
    async (config) => {
      const { url } = await start((request, response) => response.json(request.body), config)
      const post = (body: string) =>
        fetch(`${url}/api/x`, { method: 'POST', headers: { ...SAME, 'content-type': 'application/json' }, body })
      expect(await (await post('"123456"')).json()).toBe('123456')
      expect((await post('"1234567"')).status).toBe(413)
    },
  )

  it.each([
    ['application/json', '{', 400],
    ['application/json', '{"__proto__":{}}', 400],
    ['application/x-www-form-urlencoded', 'constructor=1', 400],
    ['multipart/form-data', 'x', 400],
  ])('E6 responds to malformed %s with a 4xx in JSON', async (type, body, status) => {
    let calls = 0
    const { url } = await start(() => calls++)
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: { ...SAME, 'content-type': type }, body })
    expect([response.status, await response.json(), calls]).toEqual([status, { error: expect.anything() }, 0])
  })
})
