// An encoder: a process of its own that decodes what strangers made, so that it can be killed and can crash alone (I7).
// It holds no secret and no connection; it speaks with its parent only.

import { Socket } from 'node:net'
import sharp from 'sharp'
import { runPipeline } from '../pipeline/run-pipeline.ts'
import { createFrameReader } from './encoder-frames.ts'
import { type EncodeReply, SOURCE_FD } from './encoder-messages.ts'

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

// A kill, not an exit: an exit would wait for libvips to finish the image.
const endNow = () => process.kill(process.pid, 'SIGKILL')

// Before anything is read: a parent that is gone already must be noticed.
process.on('disconnect', endNow)
// The terminal's Ctrl-C reaches the whole group: the parent drains and ends its children itself.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const read = createFrameReader(async ({ id, sourceBytes: _, ...work }, source) => {
  const answer = await runPipeline({ ...work, source })
  const reply: EncodeReply = { id, answer, rssBytes: process.memoryUsage.rss() }
  // The parent may have ended; its end is reported by `disconnect`.
  process.send?.(reply, undefined, undefined, () => {})
})
new Socket({ fd: SOURCE_FD, readable: true, writable: false }).on('data', (chunk: Buffer) => {
  try {
    read(chunk)
  } catch (error) {
    // The parent counts an end by SIGKILL as no fault of the image.
    console.error(error)
    endNow()
  }
})
