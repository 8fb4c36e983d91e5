// The response as getServerSideProps may touch it: status, headers, and a body of its own where the answer is no page
// at all (a sitemap, a feed, a text file).

import { validateHeaderName, validateHeaderValue } from 'node:http'

type HeadersOfHead = Readonly<Record<string, string | number | readonly string[]>>

export interface PageResponse {
  statusCode: number
  /** Names in lower case. */
  readonly headers: Record<string, string | string[]>
  /** What was written, once `end` was called; the page is not rendered then. */
  readonly body: Buffer | undefined
  setHeader(name: string, value: string | number | readonly string[]): this
  getHeader(name: string): string | string[] | undefined
  removeHeader(name: string): void
  /** The reason phrase that Node takes is not sent: HTTP/2 has none. */
  writeHead(statusCode: number, reasonOrHeaders?: string | HeadersOfHead, headers?: HeadersOfHead): this
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): this
}

export function createPageResponse(): PageResponse {
  const headers: PageResponse['headers'] = {}
  const chunks: Buffer[] = []
  let isEnded = false
  const add = (chunk: string | Uint8Array) => {
    // As Node's own response, which page code was written for.
    if (isEnded) throw new Error('res.write() after res.end()')
    chunks.push(Buffer.from(chunk as string))
  }
  return {
    statusCode: 200,
    headers,
    get body() {
      return isEnded ? Buffer.concat(chunks) : undefined
    },
    setHeader(name, value) {
      // Refused here and not when the answer is sent: the stack is the page's own, and its error screen can answer.
      validateHeaderName(name)
      for (const each of typeof value === 'object' ? value : [value]) validateHeaderValue(name, each as string)
      headers[name.toLowerCase()] = typeof value === 'object' ? [...value] : String(value)
      return this
    },
    getHeader: (name) => headers[name.toLowerCase()],
    removeHeader(name) {
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
  }
}
