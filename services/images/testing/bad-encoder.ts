// An encoder child that misbehaves as its job's quality says: 1 hangs, 2 dies, 3 claims much memory, 4 is
// ended as by a system that is short of memory, else answers.

import type { EncodeJob, EncodeReply } from '../encoding/encoder-messages.ts'

process.on('message', (job: EncodeJob) => {
  if (job.quality === 1) {
    for (;;);
  }
  if (job.quality === 2) process.kill(process.pid, 'SIGSEGV')
  if (job.quality === 4) process.kill(process.pid, 'SIGKILL')
  const body = Buffer.from(String(process.pid))
  const reply: EncodeReply = {
    id: job.id,
    rssBytes: job.quality === 3 ? 1e12 : 1,
    answer: { kind: 'encoded', body, type: 'image/avif', width: 1, height: 1, decodeMs: 0, encodeMs: 0 },
  }
  process.send?.(reply)
})
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true })
