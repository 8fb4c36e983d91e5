// An encoder: a separate process that decodes untrusted images, so that a crash or a kill ends only this process (I7).
// The process holds no secret and no connection, and exchanges messages with its parent only.

import { Socket } from 'node:net'
import sharp from 'sharp'
import { createFrameReader, type EncodeReply, SOURCE_FD } from './encoder-frames.ts'
import { runPipeline } from './pipeline.ts'

// One libvips thread per image. Always set, because sharp raises the number when another allocator is preloaded.
sharp.concurrency(1)
sharp.cache(false)
// SECURITY: exploits target decoders; only decoders of the types that sniff.ts accepts may run.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
    'VipsForeignLoadTiffBuffer',
  ],
})

// A kill, not an exit: an exit would wait for libvips to finish the image.
const killSelf = () => process.kill(process.pid, 'SIGKILL')

// Registered before the first read: the parent may have ended already.
process.on('disconnect', killSelf)
// Ctrl-C in a terminal reaches the whole process group: the parent drains first and then ends its children.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const read = createFrameReader(async ({ id, sourceBytes: _, ...work }, source) => {
  const result = await runPipeline({ ...work, source })
  const reply: EncodeReply = { id, result, rssBytes: process.memoryUsage.rss() }
  // If the parent has ended, `disconnect` reports the end.
  process.send?.(reply, undefined, undefined, () => {})
})
new Socket({ fd: SOURCE_FD, readable: true, writable: false }).on('data', (chunk: Buffer) => {
  try {
    read(chunk)
  } catch (error) {
    // The parent does not count an end by SIGKILL as a fault of the image.
    console.error(error)
    killSelf()
  }
})
