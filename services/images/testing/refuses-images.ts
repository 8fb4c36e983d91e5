// An encoder child that decodes nothing, not even its first image.

import { Socket } from 'node:net'
import { createFrameReader, type EncodeReply, SOURCE_FD } from '../encoders/encoder-frames.ts'

const read = createFrameReader(async ({ id }) => {
  const reply: EncodeReply = { id, rssBytes: 1, result: { kind: 'undecodable', reason: 'VipsJpeg: no loader' } }
  process.send?.(reply)
})
new Socket({ fd: SOURCE_FD, readable: true, writable: false }).on('data', read)
process.on('disconnect', () => process.exit(0))
