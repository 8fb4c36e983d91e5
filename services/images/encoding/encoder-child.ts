// An encoder: a process of its own that decodes what strangers made, so that it can be killed and can crash alone (I7).
// It holds no secret and no connection; it speaks with its parent only.

import sharp from 'sharp'
import { runPipeline } from '../pipeline/run-pipeline.ts'
import type { EncodeJob, EncodeReply, EncoderReady } from './encoder-messages.ts'

// One libvips thread a picture, always set by hand: sharp raises it by itself when another allocator is preloaded.
sharp.concurrency(1)
sharp.cache(false)
// SECURITY: decoders are where the exploits are; only those of the types that sniff-type.ts lets through may run.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
})

process.on('message', (job: EncodeJob) => {
  // Advanced serialisation hands typed arrays over as Uint8Array or Buffer; sharp wants a Buffer.
  const source = Buffer.from(job.source.buffer, job.source.byteOffset, job.source.byteLength)
  void runPipeline({ ...job, source }).then((answer) => {
    const reply: EncodeReply = { id: job.id, answer, rssBytes: process.memoryUsage.rss() }
    process.send?.(reply)
  })
})

// The parent is gone. A kill, not an exit: an exit would wait for libvips to finish the picture.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// The terminal's Ctrl-C reaches the whole group: the parent drains and ends its children itself.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const ready: EncoderReady = { ready: true }
process.send?.(ready)
