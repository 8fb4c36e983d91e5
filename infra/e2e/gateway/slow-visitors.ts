// Visitors who send half of a post, or read a little of an answer, and then do nothing; and what they cost a process.

import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Member } from './fleet.ts'

export interface SlowVisitors {
  sockets: Socket[]
  /** Those whose connection has ended. */
  gone: () => number
  /** Ends all at once, without a word. */
  leave(): void
}

/** A post of 64 KiB of which half arrives. */
export function sendHalves(member: Member, count: number, actionId: string): Promise<SlowVisitors> {
  const body = 'a'.repeat(32 * 1024)
  const lines = [
    'POST /traces HTTP/1.1',
    'Host: site.test',
    'Content-Type: application/json',
    `Portico-Action: ${actionId}`,
    'Idempotency-Key: 0123456789abcdef0123456789abcdef',
    'Sec-Fetch-Site: same-origin',
    `Content-Length: ${2 * body.length}`,
  ]
  return open(member, count, `${lines.join('\r\n')}\r\n\r\n${body}`, () => true)
}

/** Asks for the target and reads the first piece only: the rest stays in buffers all along the way. */
export function readLittle(member: Member, count: number, target: string): Promise<SlowVisitors> {
  return open(member, count, `GET ${target} HTTP/1.1\r\nHost: site.test\r\n\r\n`, (received) => received > 0)
}

/** Opens them a hundred at a time; resolves when each has got as far as it goes. */
async function open(member: Member, count: number, text: string, isEnough: (received: number) => boolean) {
  const sockets: Socket[] = []
  let gone = 0
  for (let at = 0; at < count; at += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - at) }, () => {
        const socket = connect({ host: member.address, port: member.port })
        sockets.push(socket)
        return new Promise<void>((resolve, reject) => {
          socket.once('connect', () => socket.write(text, () => isEnough(0) && resolve()))
          socket.once('data', (chunk: Buffer) => {
            socket.pause()
            if (isEnough(chunk.length)) resolve()
          })
          socket.once('error', reject)
          socket.once('close', () => gone++)
        })
      }),
    )
  for (const socket of sockets) socket.on('error', () => {})
  const visitors: SlowVisitors = {
    sockets,
    gone: () => gone,
    leave: () => sockets.forEach((socket) => void socket.resetAndDestroy()),
  }
  return visitors
}

/** Descriptors that a process holds. */
export async function countDescriptors({ child }: Member): Promise<number> {
  return (await readdir(`/proc/${child.pid}/fd`)).length
}
