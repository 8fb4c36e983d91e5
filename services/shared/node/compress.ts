// Compresses bodies with the levels of wire/encodings.ts: whole bodies in one call, streams with a flush.

import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { COMPRESSION, type CompressionLevels, type Encoding } from '../wire/encodings.ts'

type BodyKind = keyof typeof COMPRESSION
type Done = (error: Error | null, compressed: Buffer) => void

interface Coder<Options> {
  options(levels: CompressionLevels): Options
  whole(body: Buffer, options: Options, done: Done): void
  wholeSync(body: Buffer, options: Options): Buffer
  stream(options: Options): Transform & zlib.Zlib
  /** The flush after which a client can decode everything that was written. */
  flush: number
}

const { constants } = zlib

const BROTLI: Coder<zlib.BrotliOptions> = {
  options: ({ br, brotliWindow = constants.BROTLI_DEFAULT_WINDOW }) => ({
    params: { [constants.BROTLI_PARAM_QUALITY]: br, [constants.BROTLI_PARAM_LGWIN]: brotliWindow },
  }),
  whole: zlib.brotliCompress,
  wholeSync: zlib.brotliCompressSync,
  stream: zlib.createBrotliCompress,
  flush: constants.BROTLI_OPERATION_FLUSH,
}

const ZSTD: Coder<zlib.ZstdOptions> = {
  options: ({ zstd }) => ({ params: { [constants.ZSTD_c_compressionLevel]: zstd } }),
  whole: zlib.zstdCompress,
  wholeSync: zlib.zstdCompressSync,
  stream: zlib.createZstdCompress,
  flush: constants.ZSTD_e_flush,
}

const GZIP: Coder<zlib.ZlibOptions> = {
  options: ({ gzip }) => ({ level: gzip }),
  whole: zlib.gzip,
  wholeSync: zlib.gzipSync,
  stream: zlib.createGzip,
  flush: constants.Z_SYNC_FLUSH,
}

interface Compressor {
  whole(body: Buffer, done: Done): void
  wholeSync(body: Buffer): Buffer
  /** A compressor for a body that passes in pieces; `flush` sends everything that was written so far. */
  createStream(): { stream: Transform; flush: () => void }
}

function compressorOf<Options>(coder: Coder<Options>, kind: BodyKind): Compressor {
  const options = coder.options(COMPRESSION[kind])
  return {
    whole: (body, done) => coder.whole(body, options, done),
    wholeSync: (body) => coder.wholeSync(body, options),
    createStream() {
      const stream = coder.stream(options)
      return { stream, flush: () => stream.flush(coder.flush) }
    },
  }
}

/** The compressors for one kind of body. */
export function compressorsFor(kind: BodyKind): Readonly<Record<Encoding, Compressor>> {
  return { br: compressorOf(BROTLI, kind), zstd: compressorOf(ZSTD, kind), gzip: compressorOf(GZIP, kind) }
}
