// Fetches one variant as a browser would and reads what the answer tells of its making. Browser only.

export interface Measurement {
  kind: 'measured'
  bytes: number
  /** From the request to the last byte, in milliseconds. */
  ms: number
  /** `HIT`, `MISS`, `STALE` or `FALLBACK`; empty when the answer names none. */
  verdict: string
  /** As in `image/avif`. */
  type: string
  width: number
  height: number
  /** What the services say they spent their time on. */
  phases: { name: string; ms: number }[]
  /** The picture itself; `URL.revokeObjectURL` frees it. */
  objectUrl: string
}

export type LabOutcome = Measurement | { kind: 'refused'; status: number; text: string }

/** Never from the browser's own cache. Rejects when the network fails or the signal aborts. */
export async function measureVariant(url: string, accept: string, signal: AbortSignal): Promise<LabOutcome> {
  const startedAt = performance.now()
  const response = await fetch(url, { headers: { accept }, cache: 'no-store', signal })
  if (!response.ok) return { kind: 'refused', status: response.status, text: (await response.text()).slice(0, 400) }
  const blob = await response.blob()
  const ms = performance.now() - startedAt
  const size = await sizeOf(blob)
  // Before there is an address that somebody would have to free.
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
  // A browser that cannot read the format that was asked for still learns its bytes and its time.
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

/** Bytes of a file by its head alone; undefined where that cannot be had. */
export async function measureOriginal(url: string, signal: AbortSignal): Promise<number | undefined> {
  const response = await fetch(url, { method: 'HEAD', signal })
  const length = response.headers.get('content-length')
  return response.ok && length ? Number(length) : undefined
}
