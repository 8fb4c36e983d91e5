// The content encodings of responses and build files, with one level for each kind of body (G3, G4).

/** Smallest result first: the order of preference among encodings that a client accepts equally. */
export const ENCODINGS = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Endings of the compressed files that the build writes next to a file. */
export const ENCODING_SUFFIX: Readonly<Record<Encoding, string>> = { br: '.br', zstd: '.zst', gzip: '.gz' }

export interface CompressionLevels extends Readonly<Record<Encoding, number>> {
  /** A smaller body hardly shrinks and needs the same number of packets. */
  leastBytes: number
  /** Base-two logarithm of brotli's window: less memory for each response that is compressed at the same time. */
  brotliWindow?: number
  /** Bodies up to this size are compressed in the calling thread: to hand them to another costs more than the work. */
  syncBytes?: number
  /** The order among encodings that a client accepts equally, where it is not that of the size. */
  preferred?: readonly Encoding[]
}

/** For pages: at their levels zstd has the size of brotli in half the time. One order, so that a page has one form per client. */
const PAGES_PREFER: readonly Encoding[] = ['zstd', 'br', 'gzip']

export const COMPRESSION = {
  /**
   * A response that passes the gateway, compressed for one client. Measured on a page of 61 KB (processor time of one
   * call in the same thread, bytes): zstd 1 67 us, 6246; zstd 3 74 us, 6479; brotli 1 92 us, 7026; brotli 2 135 us, 5823;
   * brotli 4 280 us, 7488; gzip 1 92 us, 7929; gzip 4 186 us, 7846. In another thread the same cost 100 to 600 us more.
   */
  passing: {
    br: 1,
    zstd: 1,
    gzip: 1,
    leastBytes: 1024,
    brotliWindow: 18,
    syncBytes: 64 * 1024,
    preferred: PAGES_PREFER,
  },
  /**
   * A cached page, compressed once for all clients. Measured on a page of 10.6 KB (time, bytes): brotli 2 0.25 ms, 2496;
   * brotli 6 0.33 ms, 2338; brotli 9 42 ms, 2338; zstd 9 0.23 ms, 2332; zstd 15 24 ms, 2321; gzip 6 0.14 ms, 2740.
   */
  cached: { br: 6, zstd: 9, gzip: 6, leastBytes: 1024, preferred: PAGES_PREFER },
  /** A file of a build, compressed once for all deployments. */
  built: { br: 11, zstd: 19, gzip: 9, leastBytes: 512 },
} as const satisfies Record<string, CompressionLevels>

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream$)|application\/(?:[\w.-]+\+)?(?:json|jsonl|xml|javascript|wasm|x-ndjson)$|image\/(?:svg\+xml|x-icon)$|font\/[ot]tf$)/

/** The media type of a Content-Type, without parameters, in lower case; empty without the header. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

/** Whether bodies of this Content-Type shrink; event streams are never compressed. */
export function isCompressibleType(contentType: string | undefined): boolean {
  return COMPRESSIBLE.test(mediaTypeOf(contentType))
}
