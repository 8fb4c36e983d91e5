// An encoder: a process of its own that decodes what strangers made, so that it can be killed and can crash alone (I7).
// It holds no secret and no connection; it speaks with its parent only.

import { Socket } from 'node:net'
import sharp from 'sharp'
import { runPipeline } from '../pipeline/run-pipeline.ts'
import { type EncodeJob, type EncodeReply, type EncoderReady, SOURCE_FD } from './encoder-messages.ts'

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

let job: EncodeJob | undefined
const NOTHING = Buffer.alloc(0)
let source = NOTHING
let received = 0
const early: Buffer[] = []

const take = (chunk: Buffer): void => {
  // The pipe may be quicker than the message that tells how much comes.
  if (!job) return void early.push(chunk)
  received += chunk.copy(source, received)
  if (received === job.sourceBytes) run(job)
}

const run = ({ id, sourceBytes: _, ...work }: EncodeJob): void => {
  const whole = source
  // An encoder that waits for work holds no picture.
  source = NOTHING
  job = undefined
  void runPipeline({ ...work, source: whole }).then((answer) => {
    const reply: EncodeReply = { id, answer, rssBytes: process.memoryUsage.rss() }
    process.send?.(reply)
  })
}

new Socket({ fd: SOURCE_FD, readable: true, writable: false }).on('data', take)
process.on('message', (next: EncodeJob) => {
  job = next
  source = Buffer.allocUnsafeSlow(next.sourceBytes)
  received = 0
  for (const chunk of early.splice(0)) take(chunk)
})

// The parent is gone. A kill, not an exit: an exit would wait for libvips to finish the picture.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// The terminal's Ctrl-C reaches the whole group: the parent drains and ends its children itself.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const ready: EncoderReady = { ready: true }
process.send?.(ready)
