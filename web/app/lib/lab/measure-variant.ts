// Fetches one variant as a browser does, and reads size, time and cache verdict of the response. Browser only.

export interface Measurement {
  kind: 'measured'
  bytes: number
  /** From the request to the last byte, in milliseconds. */
  ms: number
  /** `HIT`, `MISS`, `STALE` or `FALLBACK`; empty when the response names none. */
  verdict: string
  /** As in `image/avif`. */
  type: string
  width: number
  height: number
  /** The phases in `Server-Timing`. */
  phases: { name: string; ms: number }[]
  /** The image itself; `URL.revokeObjectURL` frees it. */
  objectUrl: string
}

export type LabOutcome = Measurement | { kind: 'refused'; status: number; text: string }

/** Bypasses the browser's cache. Rejects when the network fails or the signal aborts. */
export async function measureVariant(url: string, accept: string, signal: AbortSignal): Promise<LabOutcome> {
  const startedAt = performance.now()
  const response = await fetch(url, { headers: { accept }, cache: 'no-store', signal })
  if (!response.ok) return { kind: 'refused', status: response.status, text: (await response.text()).slice(0, 400) }
  const blob = await response.blob()
  const ms = performance.now() - startedAt
  const size = await sizeOf(blob)
  // Before an object URL exists that would have to be revoked.
  signal.throwIfAborted()
  return {
    kind: 'measured',
    bytes: blob.size,
    ms,
    verdict: response.headers.get('x-portico-cache') ?? '',
    type: blob.type,
    phases: parseServerTiming(response.headers.get('server-timing') ?? ''),
    ...size,
    objectUrl: URL.createObjectURL(blob),
  }
}

async function sizeOf(blob: Blob): Promise<{ width: number; height: number }> {
  // A browser that cannot decode the requested format still shows bytes and time.
  const bitmap = await createImageBitmap(blob).catch(() => undefined)
  const size = { width: bitmap?.width ?? 0, height: bitmap?.height ?? 0 }
  bitmap?.close()
  return size
}

/** `encode;dur=41.2, fetch;dur=3` as a list; members without a duration are left out. */
export function parseServerTiming(header: string): { name: string; ms: number }[] {
  return header.split(',').flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim())
    const duration = parameters.find((parameter) => parameter.startsWith('dur='))
    const ms = Number(duration?.slice('dur='.length))
    return duration !== undefined && name !== '' && Number.isFinite(ms) ? [{ name, ms }] : []
  })
}

/** Size of a file in bytes by a HEAD request; undefined when it fails. */
export async function measureOriginal(url: string, signal: AbortSignal): Promise<number | undefined> {
  const response = await fetch(url, { method: 'HEAD', signal })
  const length = response.headers.get('content-length')
  return response.ok && length ? Number(length) : undefined
}
