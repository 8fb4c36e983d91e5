// The response object of getServerSideProps: status, headers, and a body if the response is no page (a sitemap, a feed,
// a text file).

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { refuseInternalHeader } from '@portico/shared/wire/policy/internal-headers.ts'

type HeadersOfHead = Readonly<Record<string, string | number | readonly string[]>>

export interface PageResponse {
  statusCode: number
  /** Names in lower case. */
  readonly headers: Record<string, string | string[]>
  /** The written body after `end` was called; the page is not rendered then. */
  readonly body: Buffer | undefined
  setHeader(name: string, value: string | number | readonly string[]): this
  getHeader(name: string): string | string[] | undefined
  /** Adds a value to those that the header has. */
  appendHeader(name: string, value: string | readonly string[]): this
  setHeaders(headers: Headers | ReadonlyMap<string, string | number | readonly string[]>): this
  hasHeader(name: string): boolean
  getHeaders(): Record<string, string | string[]>
  getHeaderNames(): string[]
  removeHeader(name: string): void
  /** Whether a change is too late: after `end`, and after the head was sent. */
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Node's older name of `writableEnded`. */
  readonly finished: boolean
  /** Node's reason phrase is ignored: HTTP/2 has none. */
  writeHead(statusCode: number, reasonOrHeaders?: string | HeadersOfHead, headers?: HeadersOfHead): this
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): this
  /** The head was sent: page code that changes the response now gets an error. */
  seal(): void
}

const SET_COOKIE = 'set-cookie'

/** A data function ends before a byte is sent: members that need the connection throw. */
const MISSING = Object.fromEntries(
  ['on', 'once', 'flushHeaders', 'pipe'].map((name) => [
    name,
    () => {
      throw new Error(`res.${name}() is not available in getServerSideProps, whose response is sent after it returned`)
    },
  ]),
)

/** Code for the Pages Router expects a list of cookies. */
function singleValue(name: string, value: string): string | string[] {
  return name.toLowerCase() === SET_COOKIE ? [value] : value
}

export function createPageResponse(): PageResponse {
  const headers: PageResponse['headers'] = {}
  const chunks: Buffer[] = []
  let isEnded = false
  let isSealed = false
  const refuseLate = (method: string) => {
    if (isSealed) throw new Error(`res.${method}() after the response began; call it before getServerSideProps returns`)
  }
  const add = (chunk: string | Uint8Array) => {
    // Like Node's own response, for which page code was written.
    if (isEnded) throw new Error('res.write() after res.end()')
    refuseLate('write')
    chunks.push(Buffer.from(chunk as string))
  }
  return {
    statusCode: 200,
    headers,
    get body() {
      return isEnded ? Buffer.concat(chunks) : undefined
    },
    setHeader(name, value) {
      refuseLate('setHeader')
      // Refused here and not while sending: the stack shows the page's code, and its error screen can be sent.
      validateHeaderName(name)
      refuseInternalHeader(name)
      for (const each of typeof value === 'object' ? value : [value]) validateHeaderValue(name, each as string)
      headers[name.toLowerCase()] = typeof value === 'object' ? [...value] : singleValue(name, String(value))
      return this
    },
    getHeader: (name) => headers[name.toLowerCase()],
    appendHeader(name, value) {
      const values = [headers[name.toLowerCase()] ?? [], value].flat()
      return this.setHeader(name, values.length === 1 ? values[0]! : values)
    },
    setHeaders(given) {
      const cookies = given instanceof Headers ? given.getSetCookie() : []
      for (const [name, value] of given)
        if (!(given instanceof Headers && name === SET_COOKIE)) this.setHeader(name, value)
      return cookies.length > 0 ? this.setHeader(SET_COOKIE, cookies) : this
    },
    hasHeader: (name) => Object.hasOwn(headers, name.toLowerCase()),
    getHeaders: () => ({ ...headers }),
    getHeaderNames: () => Object.keys(headers),
    get headersSent() {
      return isEnded || isSealed
    },
    get writableEnded() {
      return isEnded
    },
    get finished() {
      return isEnded
    },
    ...MISSING,
    removeHeader(name) {
      refuseLate('removeHeader')
      delete headers[name.toLowerCase()]
    },
    writeHead(statusCode, reasonOrHeaders, more) {
      this.statusCode = statusCode
      const given = typeof reasonOrHeaders === 'object' ? reasonOrHeaders : more
      for (const [name, value] of Object.entries(given ?? {})) this.setHeader(name, value)
      return this
    },
    write(chunk) {
      add(chunk)
      return true
    },
    end(chunk) {
      if (chunk !== undefined) add(chunk)
      isEnded = true
      return this
    },
    seal() {
      isSealed = true
      // An assignment to statusCode throws.
      Object.freeze(this)
    },
  }
}
