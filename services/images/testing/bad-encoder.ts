// An encoder child that misbehaves as its job's quality says: 1 hangs, 2 dies, 3 claims much memory, 4 is ended as by a
// system that is short of memory, 5 responds to another job, 6 responds with rubbish, 7 closes its channel, else responds.

import { Socket } from 'node:net'
import { createFrameReader } from '../encoding/encoder-frames.ts'
import { type EncodeReply, SOURCE_FD } from '../encoding/encoder-messages.ts'

const read = createFrameReader(async ({ id, quality }) => {
  if (quality === 1) {
    for (;;);
  }
  if (quality === 2) process.kill(process.pid, 'SIGSEGV')
  if (quality === 4) process.kill(process.pid, 'SIGKILL')
  if (quality === 6) return void process.send?.({ id, answer: { kind: 'encoded' } })
  if (quality === 7) return process.disconnect?.()
  const body = Buffer.from(String(process.pid))
  const reply: EncodeReply = {
    id: quality === 5 ? id - 1 : id,
    rssBytes: quality === 3 ? 1e12 : 1,
    answer: { kind: 'encoded', body, type: 'image/avif', width: 1, height: 1, decodeMs: 0, encodeMs: 0 },
  }
  process.send?.(reply)
})
new Socket({ fd: SOURCE_FD, readable: true, writable: false }).on('data', read)
