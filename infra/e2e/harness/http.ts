// Requests as the suite needs them: raw targets that no URL parser has normalised, and forms as a browser without
// JavaScript would post them.

import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface RawRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** False: over a connection of its own. */
  agent?: false
}

/** Sends exactly this target, which `fetch` would normalise. Never follows a redirect. */
export function send(baseUrl: string, target: string, { method = 'GET', headers = {}, body, agent }: RawRequest = {}) {
  const { protocol, hostname, port } = new URL(baseUrl)
  const request = protocol === 'https:' ? requestHttps : requestHttp
  return new Promise<RawResponse>((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers, agent, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: bytes,
          get text() {
            return bytes.toString('utf8')
          },
        })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${target}: no response within 30 s`)))
    sent.on('error', reject)
    sent.end(body)
  })
}

interface PageForm {
  action: string
  enctype: string
  hidden: [string, string][]
}

/** The first form that posts to an action and contains the text: its target, encoding and hidden fields. */
export function readForm(html: string, text = ''): PageForm {
  for (const [, attributes = '', content = ''] of html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)) {
    if ((attributeOf(attributes, 'method') ?? 'get').toLowerCase() !== 'post' || !content.includes(text)) continue
    const hidden = [...content.matchAll(/<input\b([^>]*)>/gi)].flatMap(([, input = '']): [string, string][] => {
      const name = attributeOf(input, 'name')
      return attributeOf(input, 'type') === 'hidden' && name !== undefined
        ? [[name, attributeOf(input, 'value') ?? '']]
        : []
    })
    const enctype = attributeOf(attributes, 'enctype') ?? 'application/x-www-form-urlencoded'
    return { action: attributeOf(attributes, 'action') ?? '', enctype, hidden }
  }
  throw new Error(`the page has no form that posts${text && ` and holds "${text}"`}`)
}

function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}(?:="([^"]*)")?(?=\\s|/|$)`, 'i').exec(attributes)
  return match ? unescapeHtml(match[1] ?? '') : undefined
}

/** Undoes the escapes that React writes. */
export function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

export interface FormPost {
  baseUrl: string
  path: string
  fields: Record<string, string>
  /** In place of what a browser sends by itself; an empty one is left out. */
  headers?: Record<string, string>
  /** A text of the form, where the page has several. */
  text?: string
}

/** Loads a page, fills its form in and posts it as a browser without JavaScript does. */
export async function postForm({ baseUrl, path, fields, headers = {}, text = '' }: FormPost): Promise<RawResponse> {
  const page = await send(baseUrl, path, { headers: withoutEmpty(headers) })
  const form = readForm(page.text, text)
  const entries = [...form.hidden, ...Object.entries(fields)]
  const { type, body } = encodeForm(form.enctype, entries)
  const target = new URL(form.action || path, new URL(path, baseUrl))
  const sent = {
    accept: 'text/html',
    origin: new URL(baseUrl).origin,
    'sec-fetch-site': 'same-origin',
    'content-type': type,
    'content-length': String(Buffer.byteLength(body)),
    ...cookiesOf(page),
    ...headers,
  }
  return send(baseUrl, target.pathname + target.search, {
    method: 'POST',
    headers: withoutEmpty(sent),
    body,
  })
}

function encodeForm(enctype: string, entries: [string, string][]): { type: string; body: string } {
  if (enctype !== 'multipart/form-data') return { type: enctype, body: new URLSearchParams(entries).toString() }
  const boundary = '----portico-e2e-7MA4YWxkTrZu0gW'
  const parts = entries.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { type: `${enctype}; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` }
}

/** The Cookie header that a browser would send after this response. */
export function cookiesOf(response: RawResponse): { cookie?: string } {
  const set = response.headers['set-cookie'] ?? []
  return set.length === 0 ? {} : { cookie: set.map((line) => line.split(';')[0]).join('; ') }
}

function withoutEmpty(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}
