// The cookies of `NextRequest` and `NextResponse` (X7): views of the headers `Cookie` and `Set-Cookie`.

import { parseCookie, parseSetCookie, type SetCookie, stringifyCookie, stringifySetCookie } from 'cookie'

export interface RequestCookie {
  name: string
  value: string
}

/** Cookies of a request. A change is written to the header `Cookie` of this request only. */
export class RequestCookies {
  readonly #headers: Headers
  readonly #values: Map<string, string>

  constructor(headers: Headers) {
    this.#headers = headers
    const parsed = Object.entries(parseCookie(headers.get('cookie') ?? ''))
    this.#values = new Map(parsed.map(([name, value]) => [name, value ?? '']))
  }

  get size(): number {
    return this.#values.size
  }

  get(cookie: string | Pick<RequestCookie, 'name'>): RequestCookie | undefined {
    const name = nameOf(cookie)
    const value = this.#values.get(name)
    return value === undefined ? undefined : { name, value }
  }

  getAll(cookie?: string | Pick<RequestCookie, 'name'>): RequestCookie[] {
    const all = [...this.#values].map(([name, value]) => ({ name, value }))
    return cookie === undefined ? all : all.filter(({ name }) => name === nameOf(cookie))
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  set(...given: [name: string, value: string] | [cookie: RequestCookie]): this {
    const [first, second = ''] = given
    const { name, value } = typeof first === 'string' ? { name: first, value: second } : first
    this.#values.set(name, value)
    return this.#write()
  }

  delete(names: string): boolean
  delete(names: string[]): boolean[]
  delete(names: string | string[]): boolean | boolean[] {
    const deleted = Array.isArray(names) ? names.map((name) => this.#values.delete(name)) : this.#values.delete(names)
    this.#write()
    return deleted
  }

  clear(): this {
    this.#values.clear()
    return this.#write()
  }

  toString(): string {
    return stringifyCookie(Object.fromEntries(this.#values), ENCODED)
  }

  [Symbol.iterator](): IterableIterator<[string, RequestCookie]> {
    return this.getAll()
      .map((cookie): [string, RequestCookie] => [cookie.name, cookie])
      .values()
  }

  #write(): this {
    if (this.#values.size === 0) this.#headers.delete('cookie')
    else this.#headers.set('cookie', this.toString())
    return this
  }
}

export interface ResponseCookie extends Omit<SetCookie, 'expires' | 'value'> {
  value: string
  /** A number is a time in milliseconds. */
  expires?: Date | number
}
type CookieOptions = Partial<Omit<ResponseCookie, 'name' | 'value'>>

/** Cookies that a response sets; each change is written to its headers `Set-Cookie`. The path is `/` if none is given. */
export class ResponseCookies {
  readonly #headers: Headers
  readonly #cookies: Map<string, ResponseCookie>

  constructor(headers: Headers) {
    this.#headers = headers
    const parsed = headers.getSetCookie().map((line) => parseSetCookie(line))
    this.#cookies = new Map(parsed.map((cookie) => [cookie.name, { ...cookie, value: cookie.value ?? '' }]))
  }

  get(cookie: string | Pick<ResponseCookie, 'name'>): ResponseCookie | undefined {
    return this.#cookies.get(nameOf(cookie))
  }

  getAll(cookie?: string | Pick<ResponseCookie, 'name'>): ResponseCookie[] {
    const all = [...this.#cookies.values()]
    return cookie === undefined ? all : all.filter(({ name }) => name === nameOf(cookie))
  }

  has(name: string): boolean {
    return this.#cookies.has(name)
  }

  set(...given: [name: string, value: string, options?: CookieOptions] | [cookie: ResponseCookie]): this {
    const [first, value = '', options] = given
    const cookie = typeof first === 'string' ? { ...options, name: first, value } : first
    this.#cookies.set(cookie.name, { path: '/', ...cookie })
    this.#headers.delete('set-cookie')
    for (const each of this.#cookies.values()) this.#headers.append('set-cookie', textOf(each))
    return this
  }

  /** Lets the browser remove the cookie. */
  delete(cookie: string | ({ name: string } & Pick<CookieOptions, 'path' | 'domain'>)): this {
    const scope = typeof cookie === 'string' ? { name: cookie } : cookie
    return this.set({ ...scope, value: '', expires: 0 })
  }

  toString(): string {
    return this.getAll().map(textOf).join('; ')
  }
}

/** Scripts of pages read the values as Next.js writes them: `/` is encoded, too. */
const ENCODED = { encode: encodeURIComponent }

function textOf({ expires, ...cookie }: ResponseCookie): string {
  const date = typeof expires === 'number' ? new Date(expires) : expires
  return stringifySetCookie({ ...cookie, ...(date && { expires: date }) }, ENCODED)
}

function nameOf(cookie: string | { name: string }): string {
  return typeof cookie === 'string' ? cookie : cookie.name
}
