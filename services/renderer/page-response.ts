// The response as getServerSideProps may touch it: status, headers, and a body of its own where the answer is no page
// at all (a sitemap, a feed, a text file).

export interface PageResponse {
  statusCode: number
  /** Names in lower case. */
  readonly headers: Record<string, string | string[]>
  /** What was written, once `end` was called; the page is not rendered then. */
  readonly body: Buffer | undefined
  setHeader(name: string, value: string | number | readonly string[]): this
  getHeader(name: string): string | string[] | undefined
  removeHeader(name: string): void
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
      headers[name.toLowerCase()] =
        typeof value === 'number' ? String(value) : typeof value === 'string' ? value : [...value]
      return this
    },
    getHeader: (name) => headers[name.toLowerCase()],
    removeHeader(name) {
      delete headers[name.toLowerCase()]
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
