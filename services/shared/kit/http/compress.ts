// Compresses bodies with the levels of wire/encodings.ts: whole bodies in one call, streams with a flush.

import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { COMPRESSION, type CompressionLevels, type Encoding } from '../../wire/encodings.ts'

type Done = (error: Error | null, compressed: Buffer) => void

interface Compressor {
  /** Calls `done` before it returns for a small body, later for others. */
  whole(body: Buffer, done: Done): void
  wholeSync(body: Buffer): Buffer
  /** A compressor for a body that passes in pieces; `flush` sends everything that was written so far. */
  createStream(): { stream: Transform; flush: () => void }
}

/** The compressors for one kind of body. */
export function compressorsFor(kind: keyof typeof COMPRESSION): Readonly<Record<Encoding, Compressor>> {
  const { constants } = zlib
  const levels: CompressionLevels = COMPRESSION[kind]
  const { brotliWindow = constants.BROTLI_DEFAULT_WINDOW, syncBytes = 0 } = levels
  return {
    br: compressorOf<zlib.BrotliOptions>({
      syncBytes,
      options: {
        params: { [constants.BROTLI_PARAM_QUALITY]: levels.br, [constants.BROTLI_PARAM_LGWIN]: brotliWindow },
      },
      whole: zlib.brotliCompress,
      wholeSync: zlib.brotliCompressSync,
      stream: zlib.createBrotliCompress,
      flush: constants.BROTLI_OPERATION_FLUSH,
    }),
    zstd: compressorOf<zlib.ZstdOptions>({
      syncBytes,
      options: { params: { [constants.ZSTD_c_compressionLevel]: levels.zstd } },
      whole: zlib.zstdCompress,
      wholeSync: zlib.zstdCompressSync,
      stream: zlib.createZstdCompress,
      flush: constants.ZSTD_e_flush,
    }),
    gzip: compressorOf<zlib.ZlibOptions>({
      syncBytes,
      options: { level: levels.gzip },
      whole: zlib.gzip,
      wholeSync: zlib.gzipSync,
      stream: zlib.createGzip,
      flush: constants.Z_SYNC_FLUSH,
    }),
  }
}

interface Coder<Options> {
  syncBytes: number
  options: Options
  whole(body: Buffer, options: Options, done: Done): void
  wholeSync(body: Buffer, options: Options): Buffer
  stream(options: Options): Transform & zlib.Zlib
  /** The flush after which a client can decode everything that was written. */
  flush: number
}

function compressorOf<Options>(coder: Coder<Options>): Compressor {
  const { syncBytes, options, whole, wholeSync, stream: create, flush } = coder
  return {
    whole(body, done) {
      if (body.length > syncBytes) whole(body, options, done)
      else done(null, wholeSync(body, options))
    },
    wholeSync: (body) => wholeSync(body, options),
    createStream() {
      const stream = create(options)
      return { stream, flush: () => stream.flush(flush) }
    },
  }
}
