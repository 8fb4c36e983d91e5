import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../observe/log.ts'
import { type ErrorForm, errorContentOf, refuseUpgrade, sendError, sendPublicError } from './error-response.ts'
import { type ErrorContent, ServiceError } from './errors.ts'

let close: (() => void) | undefined
afterEach(() => close?.())

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  close = () => {
    server.close()
    server.closeAllConnections()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const fetchError = async (form: ErrorForm, content: ErrorContent, init?: RequestInit) =>
  fetch(await serve((_request, response) => sendError(response, form, content)), init)

describe('forms', () => {
  it('E1 the default not-found screen', async () => {
    const response = await fetchError('document', { code: 'not-found' })
    const html = await response.text()
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).toContain('<title>404: This page could not be found.</title>')
    expect(html).toContain('<h1>404</h1><p>This page could not be found.</p>')
    expect(html).toContain('<meta name="robots" content="noindex">')
  })

  it('E4 the screen of a server exception shows its digest and allows no script', async () => {
    const response = await fetchError('document', { code: 'internal', digest: 'abcdef0123' })
    const html = await response.text()
    expect(html).toContain('<title>500: Internal Server Error</title>')
    expect(html).toContain(
      'Application error: a server-side exception has occurred (see the server logs for more information).',
    )
    expect(html).toContain('Digest: abcdef0123')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).not.toContain('<script')
  })

  it('E2 another status has the general title, and no screen shows the code', async () => {
    const html = await (await fetchError('document', { code: 'foreign-build' })).text()
    expect(html).not.toContain('foreign-build')
    close?.()
    const other = await (await fetchError('document', { code: 'body-too-large' })).text()
    expect(other).toContain('<title>413: An unexpected error has occurred</title>')
    expect(other).not.toContain('body-too-large')
  })

  it('E2 message and issues are escaped', async () => {
    const issues = [{ path: 'a<b', message: 'x > y' }]
    const html = await (await fetchError('document', { code: 'invalid-input', message: `<b>&"'`, issues })).text()
    expect(html).toContain('<p>&#60;b&#62;&#38;&#34;&#39;</p>')
    expect(html).toContain('<ul><li><b>a&#60;b</b>: x &#62; y</li></ul>')
  })

  it('E1 E4 the screens of 404 and 500 keep their texts for every message', async () => {
    expect(await (await fetchError('document', { code: 'unknown-action', message: 'm' })).text()).toContain(
      '<h1>404</h1><p>This page could not be found.</p>',
    )
  })

  it('E2 the JSON form', async () => {
    const details = { limit: 10, received: 20 }
    const response = await fetchError('data', {
      code: 'body-too-large',
      digest: 'abcdef0123',
      message: 'too large',
      details,
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({
      error: {
        status: 413,
        title: 'An unexpected error has occurred',
        code: 'body-too-large',
        message: 'too large',
        digest: 'abcdef0123',
        ...details,
      },
    })
  })

  it.each([
    [1_048_576, 1_048_577, '1.1 MB. The limit is 1 MB.'],
    [200_000, 300_000, '293 KB. The limit is 195.3 KB.'],
    [1000, 1024, '1 KB. The limit is 1000 bytes.'],
  ])('A7 W4 the message names a limit of %i and a size of %i bytes', async (limit, received, text) => {
    const content = { code: 'body-too-large', details: { limit, received } } as const
    const message = `The content is too large: ${text}`
    expect(await (await fetchError('data', content)).json()).toMatchObject({ error: { message, limit, received } })
    expect(await (await fetchError('document', content)).text()).toContain(`<p>${message}</p>`)
  })

  it('E7 files get a line of text', async () => {
    const response = await fetchError('file', { code: 'token-required' })
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe('401 The stack token is missing or wrong.\n')
  })

  it.each(['document', 'data', 'file'] as const)(
    'E2 caches do not store and browsers do not sniff the %s form',
    async (form) => {
      const { headers } = await fetchError(form, { code: 'internal' })
      expect(headers.get('cache-control')).toBe('private, no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      close?.()
      const own = await fetchError(form, { code: 'not-found', headers: { 'cache-control': 'max-age=5', allow: 'GET' } })
      expect(own.headers.get('cache-control')).toBe('max-age=5')
      expect(own.headers.get('allow')).toBe('GET')
    },
  )

  it('E2 HEAD has the length and no body', async () => {
    const response = await fetchError('data', { code: 'not-found' }, { method: 'HEAD' })
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10)
    expect(await response.text()).toBe('')
  })

  it('E2 headers of the failed response are removed', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('etag', '"x"')
      response.setHeader('content-encoding', 'br')
      response.setHeader('set-cookie', 'a=b')
      response.setHeader('x-request-id', 'r1')
      response.setHeader('portico-build', 'b1')
      sendError(response, 'data', { code: 'internal' })
    })
    const { headers } = await fetch(url)
    expect([headers.get('etag'), headers.get('content-encoding'), headers.get('set-cookie')]).toEqual([
      null,
      null,
      null,
    ])
    expect([headers.get('x-request-id'), headers.get('portico-build')]).toEqual(['r1', 'b1'])
  })

  it('E4 a response that has begun is cut off, so that it cannot look complete', async () => {
    const url = await serve((_request, response) => {
      response.write('the first half')
      setTimeout(() => sendError(response, 'data', { code: 'internal' }), 20)
    })
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
  })
})

describe('a thrown value', () => {
  const thrownContent = async (thrown: unknown) => {
    const lines: { fields: Record<string, unknown>; text: string }[] = []
    // The one method of the log that is used here.
    const log = {
      error: (fields: Record<string, unknown>, text: string) => lines.push({ fields, text }),
    } as unknown as Log
    let content: ErrorContent | undefined
    const url = await serve((request, response) => {
      content = errorContentOf(thrown, log, request)
      response.end()
    })
    await fetch(url)
    return { content: content!, lines }
  }

  it('E4 any unknown value is a 500 with a digest in exactly one log line, and its text is not sent', async () => {
    for (const thrown of [new Error('secret path /srv/x'), 'secret text', null, { status: 404 }]) {
      const { content, lines } = await thrownContent(thrown)
      expect(content).toEqual({
        code: 'internal',
        digest: expect.stringMatching(/^[0-9a-f]{10}$/) as string,
      })
      expect(lines).toHaveLength(1)
      expect(lines[0]?.fields).toMatchObject({ digest: content.digest, error: thrown, status: 500 })
      close?.()
    }
  })

  it('E6 bad input is a 4xx without digest and without a log line', async () => {
    const { content, lines } = await thrownContent(
      new ServiceError('method-not-allowed', { headers: { allow: 'GET, HEAD' }, cause: new Error('inner') }),
    )
    expect(content).toMatchObject({
      code: 'method-not-allowed',
      headers: { allow: 'GET, HEAD' },
    })
    expect(content.digest).toBeUndefined()
    expect(lines).toEqual([])
  })

  it('E7 an overload keeps its headers and is logged', async () => {
    const { content, lines } = await thrownContent(new ServiceError('overloaded', { headers: { 'retry-after': '2' } }))
    expect(content).toMatchObject({
      code: 'overloaded',
      headers: { 'retry-after': '2' },
      digest: expect.any(String) as string,
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.fields).toMatchObject({ code: 'overloaded', status: 503, digest: content.digest })
  })
})

describe('senders', () => {
  it('G7 a service reports code and digest in internal headers, and the gateway sends none of them to a client', async () => {
    const content = { code: 'internal', digest: 'abcdef0123' } as const
    const inner = await fetchError('data', content)
    expect([inner.headers.get('portico-internal-code'), inner.headers.get('portico-internal-digest')]).toEqual([
      'internal',
      'abcdef0123',
    ])
    close?.()
    const { headers } = await fetch(await serve((_request, response) => sendPublicError(response, 'data', content)))
    expect([...headers.keys()].filter((name) => name.startsWith('portico-internal-'))).toEqual([])
  })

  it('E7 a refused upgrade receives a status without a body, and its connection is closed', async () => {
    const server = createServer().on('upgrade', (_request, socket) => refuseUpgrade(socket, 'forbidden'))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    close = () => void server.close()
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    let received = ''
    for await (const chunk of socket) received += String(chunk)
    expect(received).toBe('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
})
