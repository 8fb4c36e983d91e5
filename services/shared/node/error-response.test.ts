import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ErrorContent, type ErrorForm, errorContentOf, errorDocument, sendError } from './error-response.ts'
import { ERROR_CATALOGUE, ServiceError } from './errors.ts'
import type { Log } from './log.ts'

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
    const response = await fetchError('document', { status: 404 })
    const html = await response.text()
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).toContain('<title>404: This page could not be found.</title>')
    expect(html).toContain('<h1>404</h1><p>This page could not be found.</p>')
    expect(html).toContain('<meta name="robots" content="noindex">')
  })

  it('E4 the screen of a server exception shows its digest and allows no script', async () => {
    const response = await fetchError('document', { status: 500, digest: 'abcdef0123' })
    const html = await response.text()
    expect(html).toContain('<title>500: Internal Server Error</title>')
    expect(html).toContain(
      'Application error: a server-side exception has occurred (see the server logs for more information).',
    )
    expect(html).toContain('Digest: abcdef0123')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).not.toContain('<script')
  })

  it('E2 another status has its title, and text is escaped', () => {
    expect(errorDocument({ status: 418 })).toContain('<title>418: An unexpected error has occurred</title>')
    expect(errorDocument({ status: 400, message: `<b>&"'` })).toContain('<p>&#60;b&#62;&#38;&#34;&#39;</p>')
  })

  it('E2 the JSON form', async () => {
    const details = { limit: 10, received: 20 }
    const response = await fetchError('data', { status: 413, digest: 'abcdef0123', message: 'too large', details })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({
      error: {
        status: 413,
        title: 'An unexpected error has occurred',
        message: 'too large',
        digest: 'abcdef0123',
        ...details,
      },
    })
  })

  it('E7 files get a line of text', async () => {
    const response = await fetchError('file', { status: 502 })
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe('502 An unexpected error has occurred\n')
  })

  it.each(['document', 'data', 'file'] as const)(
    'E2 caches do not store and browsers do not sniff the %s form',
    async (form) => {
      const { headers } = await fetchError(form, { status: 500 })
      expect(headers.get('cache-control')).toBe('private, no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      close?.()
      const own = await fetchError(form, { status: 404, headers: { 'cache-control': 'max-age=5', allow: 'GET' } })
      expect(own.headers.get('cache-control')).toBe('max-age=5')
      expect(own.headers.get('allow')).toBe('GET')
    },
  )

  it('E2 HEAD has the length and no body', async () => {
    const response = await fetchError('data', { status: 404 }, { method: 'HEAD' })
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
      sendError(response, 'data', { status: 500 })
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
      setTimeout(() => sendError(response, 'data', { status: 500 }), 20)
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

  it('E4 any unknown value is a 500 with a digest in exactly one log line, and its text stays private', async () => {
    for (const thrown of [new Error('secret path /srv/x'), 'secret text', null, { status: 404 }]) {
      const { content, lines } = await thrownContent(thrown)
      expect(content).toEqual({ status: 500, digest: expect.stringMatching(/^[0-9a-f]{10}$/) as string })
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
      status: 405,
      message: ERROR_CATALOGUE['method-not-allowed'].text,
      headers: { allow: 'GET, HEAD' },
    })
    expect(content.digest).toBeUndefined()
    expect(lines).toEqual([])
  })

  it('E7 an overload keeps its headers and is logged', async () => {
    const { content, lines } = await thrownContent(new ServiceError('overloaded', { headers: { 'retry-after': '2' } }))
    expect(content).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      digest: expect.any(String) as string,
    })
    expect(lines).toHaveLength(1)
  })
})
