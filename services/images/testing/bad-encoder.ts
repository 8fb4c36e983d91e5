// An encoder child whose fault is chosen by the quality of the job: 1 hangs, 2 dies, 3 claims much memory, 4 is killed
// as if the system lacked memory, 5 responds to another job, 6 responds with a malformed message, 7 closes its channel;
// any other quality responds.

import { Socket } from 'node:net'
import { createFrameReader, type EncodeReply, SOURCE_FD } from '../encoders/encoder-frames.ts'

const read = createFrameReader(async ({ id, quality }) => {
  if (quality === 1) {
    for (;;);
  }
  if (quality === 2) process.kill(process.pid, 'SIGSEGV')
  if (quality === 4) process.kill(process.pid, 'SIGKILL')
  if (quality === 6) return void process.send?.({ id, result: { kind: 'encoded' } })
  if (quality === 7) return process.disconnect?.()
  const body = Buffer.from(String(process.pid))
  const reply: EncodeReply = {
    id: quality === 5 ? id - 1 : id,
    rssBytes: quality === 3 ? 1e12 : 1,
    result: { kind: 'encoded', body, type: 'image/avif', width: 1, height: 1, decodeMs: 0, encodeMs: 0 },
  }
  process.send?.(reply)
})
new Socket({ fd: SOURCE_FD, readable: true, writable: false }).on('data', read)
