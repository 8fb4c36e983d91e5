// What is wrong with a response: compared with that of another stack, with itself, and with the other responses of its
// page.

import { exchange, type SeenResponse, type WrittenRequest } from './seen-response.ts'

/** Larger bodies may be sent plain while their form is made; smaller ones are compressed for their first response. */
const LARGE_BYTES = 256 * 1024

/** What differs, as text; undefined where nothing does. */
export function differenceOf(one: SeenResponse | undefined, other: SeenResponse | undefined): string | undefined {
  if (!one || !other) return one === other ? undefined : `no response of the ${one ? 'second' : 'first'} stack`
  if (one.status !== other.status) return `status ${one.status}, not ${other.status}`
  const isOneForm = [one, other].some((seen) => seen.encoding === undefined && mayBePlain(seen))
  // The proxy does not know how long the body of a 304 is, and says that a short one varies, too.
  const headersOf = ({ headers, status }: SeenResponse) =>
    isOneForm || status === 304 ? withoutForm(headers) : headers
  const [own, others] = [headersOf(one), headersOf(other)]
  if (own.join('\n') !== others.join('\n')) {
    const [more, less] = [own.filter((line) => !others.includes(line)), others.filter((line) => !own.includes(line))]
    return more.length + less.length > 0
      ? `headers ${JSON.stringify(more)}, not ${JSON.stringify(less)}`
      : `headers ${own.length} times, not ${others.length}`
  }
  if (one.body === other.body) return undefined
  let at = 0
  while (one.body[at] === other.body[at]) at++
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 120))
  return `body at ${at}: ${around(one.body)}, not ${around(other.body)}`
}

/** Neither the first response with a large page is compressed nor the screen of an error that the gateway sends. */
function mayBePlain({ status, bytes, length }: SeenResponse): boolean {
  return status >= 500 || Math.max(bytes, Number(length ?? 0)) > LARGE_BYTES
}

function withoutForm(headers: readonly string[]): string[] {
  return headers
    .filter((line) => !/^(content-encoding: |vary: accept-encoding$)/.test(line))
    .map((line) => line.replace(/^etag: (?:W\/)?("[^"~]*)(?:~\w+)?"/, 'etag: $1"'))
}

/** What contradicts itself in a response, whatever another stack sends. */
export function faultOf(seen: SeenResponse | undefined): string | undefined {
  if (!seen) return undefined
  const { status, headers, etag, encoding, length, bytes, method, age } = seen
  if (status === 304 && bytes > 0) return 'a 304 has a body'
  if (method !== 'HEAD' && status !== 304 && length !== undefined && Number(length) !== bytes)
    return `Content-Length is ${length}, and the body has ${bytes} bytes`
  if (encoding !== undefined && !headers.some((line) => /^vary: .*(accept-encoding|\*)/i.test(line)))
    return 'a compressed response does not vary by Accept-Encoding'
  if (seen.isEntry && !(Number(age) >= 0 && Number(age) < 3600)) return `Age is ${age}`
  if (status === 304 || etag === undefined) return undefined
  const form = /~(\w+)"$/.exec(etag)?.[1]
  return form === encoding ? undefined : `the ETag ${etag} is that of another form than ${encoding}`
}

/**
 * What differs between the responses to GET, HEAD and conditional requests for one page of the cache. `other` is for the
 * other part of the page: data or document.
 */
export async function faultOfForms(
  baseUrl: string,
  own: WrittenRequest,
  other: WrittenRequest,
): Promise<string | undefined> {
  const [whole, head, part] = await Promise.all(
    [own, { ...own, method: 'HEAD' }, other].map((one) => exchange(baseUrl, one)),
  )
  if (!whole || !head || !part) return `no response to ${own.target}`
  // Page code may respond to HEAD with other bytes, and to its own ETag as it likes.
  if (!whole.isEntry) return undefined
  const conditional = ({ etag }: SeenResponse) =>
    exchange(baseUrl, { ...own, headers: [...(own.headers ?? []), 'if-none-match', etag ?? '"none"'] })
  const [held, unlike] = await Promise.all([conditional(whole), conditional(part)])
  const isSameForm = head.encoding === whole.encoding
  const difference =
    differenceOf({ ...head, body: whole.body }, whole) ??
    (isSameForm && head.length !== whole.length ? `Content-Length ${head.length}, not ${whole.length}` : undefined) ??
    (head.bytes > 0 ? 'a body' : undefined)
  if (difference) return `HEAD of ${own.target} has ${difference}`
  const mixed = differenceOf(unlike, whole)
  if (mixed) return `${own.target} has for the ETag of its other part ${mixed}`
  if (whole.etag === undefined || whole.status !== 200) return differenceOf(held, whole)
  if (held?.status === 304 && held.etag === whole.etag) return undefined
  return `${own.target} has for its own ETag status ${held?.status} and the ETag ${held?.etag}`
}
