import { expect, it } from 'vitest'
import { readVerdict } from './read-response.ts'

type GuardedRequest = Parameters<typeof readVerdict>[1]

const asked: GuardedRequest = {
  url: 'https://site.example/docs/a?x=1',
  headers: { host: 'site.example', cookie: 'a=1', 'x-old': 'o', 'x-forwarded-for': '192.0.2.1' },
  basePath: '/docs',
}

const read = async (
  headers: NonNullable<ResponseInit['headers']>,
  status = 200,
  body: ConstructorParameters<typeof Response>[0] = null,
) => {
  const reserved: string[] = []
  const response = new Response(body, { status, headers })
  return { verdict: await readVerdict(response, asked, (name) => reserved.push(name)), reserved }
}

it('X15 no response continues', async () => {
  expect(await readVerdict(undefined, asked, () => {})).toEqual({ kind: 'next', responseHeaders: [] })
  expect(await readVerdict(null, asked, () => {})).toEqual({ kind: 'next', responseHeaders: [] })
})

it('X15 a value that is no response is a fault', async () => {
  await expect(readVerdict({ ok: true } as unknown as Response, asked, () => {})).rejects.toThrow(
    'middleware must return a Response or nothing',
  )
})

it('X15 next has headers and cookies of the response, and none of the protocol', async () => {
  const headers: [string, string][] = [
    ['x-middleware-next', '1'],
    ['x-middleware-set-cookie', 'c=1'],
    ['x-seen', 'yes'],
    ['set-cookie', 'c=1; Path=/'],
    ['set-cookie', 'd=2'],
  ]
  expect((await read(headers)).verdict).toEqual({
    kind: 'next',
    responseHeaders: [
      ['x-seen', 'yes'],
      ['set-cookie', 'c=1; Path=/'],
      ['set-cookie', 'd=2'],
    ],
  })
})

it('X15 the list of request headers is read as changes; headers of the gateway remain and are reported', async () => {
  const { verdict, reserved } = await read({
    'x-middleware-next': '1',
    'x-middleware-override-headers': 'cookie,x-user,x-forwarded-for,x-forwarded-host,host',
    'x-middleware-request-cookie': 'a=1',
    'x-middleware-request-x-user': 'u',
    'x-middleware-request-x-forwarded-for': '127.0.0.1',
    'x-middleware-request-host': 'site.example',
  })
  expect(verdict).toEqual({
    kind: 'next',
    responseHeaders: [],
    requestHeaders: { set: { 'x-user': 'u' }, remove: ['x-old'] },
  })
  expect(reserved).toEqual(['x-forwarded-for'])
})

it.each([
  ['https://site.example/docs/b?y=2#z', '/b?y=2'],
  ['/docs/b', '/b'],
  ['/docs//evil.example', '/evil.example'],
  ['https://site.example/docs', '/'],
  ['https://other.example/x?y#z', 'https://other.example/x?y'],
])('X15 a rewrite to %s leads to %s', async (rewrite, target) => {
  expect((await read({ 'x-middleware-rewrite': rewrite })).verdict).toMatchObject({ kind: 'rewrite', target })
})

it('X15 a rewrite out of basePath is a fault that names both', async () => {
  await expect(read({ 'x-middleware-rewrite': 'https://site.example/other' })).rejects.toThrow(
    'middleware rewrites to /other, which is outside of basePath /docs',
  )
})

it.each([
  ['https://site.example/docs/log-in?from=a#top', '/docs/log-in?from=a#top'],
  ['/docs/b', '/docs/b'],
  ['https://site.example//evil.example', '/evil.example'],
  ['https://other.example/', 'https://other.example/'],
])('X15 a redirect to %s has the location %s', async (location, expected) => {
  expect((await read({ location }, 307)).verdict).toEqual({
    kind: 'redirect',
    status: 307,
    location: expected,
    responseHeaders: [],
  })
})

it('X15 every other response is the one of the client, without the framing of its body', async () => {
  const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip', 'content-length': '7', location: '/x' }
  expect((await read(headers, 401, 'no')).verdict).toEqual({
    kind: 'response',
    status: 401,
    body: Buffer.from('no').toString('base64'),
    responseHeaders: [
      ['content-type', 'text/plain'],
      ['location', '/x'],
    ],
  })
})

it('X15 a body without end is refused by its limit', async () => {
  let cancelled = false
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel() {
      cancelled = true
    },
  })
  await expect(read({}, 200, endless)).rejects.toThrow('the response of middleware has more than 1048576 bytes')
  expect(cancelled).toBe(true)
})
