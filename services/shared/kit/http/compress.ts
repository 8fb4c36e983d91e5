// Compresses bodies with the levels of wire/encodings.ts: whole bodies in one call, streams with a flush.

import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { COMPRESSION, type CompressionLevels, type Encoding } from '../../wire/encodings.ts'

type Done = (error: Error | null, compressed: Buffer) => void

interface Compressor {
  whole(body: Buffer, done: Done): void
  wholeSync(body: Buffer): Buffer
  /** A compressor for a body that passes in pieces; `flush` sends everything that was written so far. */
  createStream(): { stream: Transform; flush: () => void }
}

/** The compressors for one kind of body. */
export function compressorsFor(kind: keyof typeof COMPRESSION): Readonly<Record<Encoding, Compressor>> {
  const { constants } = zlib
  const levels: CompressionLevels = COMPRESSION[kind]
  const { brotliWindow = constants.BROTLI_DEFAULT_WINDOW } = levels
  return {
    br: compressorOf<zlib.BrotliOptions>({
      options: {
        params: { [constants.BROTLI_PARAM_QUALITY]: levels.br, [constants.BROTLI_PARAM_LGWIN]: brotliWindow },
      },
      whole: zlib.brotliCompress,
      wholeSync: zlib.brotliCompressSync,
      stream: zlib.createBrotliCompress,
      flush: constants.BROTLI_OPERATION_FLUSH,
    }),
    zstd: compressorOf<zlib.ZstdOptions>({
      options: { params: { [constants.ZSTD_c_compressionLevel]: levels.zstd } },
      whole: zlib.zstdCompress,
      wholeSync: zlib.zstdCompressSync,
      stream: zlib.createZstdCompress,
      flush: constants.ZSTD_e_flush,
    }),
    gzip: compressorOf<zlib.ZlibOptions>({
      options: { level: levels.gzip },
      whole: zlib.gzip,
      wholeSync: zlib.gzipSync,
      stream: zlib.createGzip,
      flush: constants.Z_SYNC_FLUSH,
    }),
  }
}

interface Coder<Options> {
  options: Options
  whole(body: Buffer, options: Options, done: Done): void
  wholeSync(body: Buffer, options: Options): Buffer
  stream(options: Options): Transform & zlib.Zlib
  /** The flush after which a client can decode everything that was written. */
  flush: number
}

function compressorOf<Options>({ options, whole, wholeSync, stream: create, flush }: Coder<Options>): Compressor {
  return {
    whole: (body, done) => whole(body, options, done),
    wholeSync: (body) => wholeSync(body, options),
    createStream() {
      const stream = create(options)
      return { stream, flush: () => stream.flush(flush) }
    },
  }
}
