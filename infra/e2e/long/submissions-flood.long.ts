// 20 000 keyless and 20 000 keyed posts of 60 KB from eight addresses: forms stay open, the store keeps its budget, and
// other clients get their first response when they repeat (A5).

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { hasRedis, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { IDEMPOTENCY_BUDGET_BYTES } from '@portico/shared/wire/constants.ts'
import { describe, expect, test } from 'vitest'
import { type SubmissionStack, startSubmissionStack } from '../behaviours/http/submission-stack.ts'

const POSTS_OF_EACH_KIND = 20_000
const AT_ONCE = 24
const CLIENTS = 40
const TEXT = 'x'.repeat(60_000)
const MIB = 1024 * 1024

interface Reply {
  status: number
  text: string
}

function createSender(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE + 8 })
  const post = (address: string, headers: Record<string, string>, body: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const length = String(Buffer.byteLength(body))
      const all = { 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin', 'content-length': length, ...headers }
      const sent = request(url, { method: 'POST', agent, headers: all }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => void chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const form = new URLSearchParams([
    ['$ACTION_ID_echo', ''],
    ['text', TEXT],
  ]).toString()
  const keyedBody = JSON.stringify({ args: [TEXT] })
  return {
    keyless: (address: string) => post(address, { 'content-type': 'application/x-www-form-urlencoded' }, form),
    keyed: (address: string, key = randomBytes(16).toString('hex'), body = keyedBody) =>
      post(
        address,
        {
          'content-type': 'application/json',
          'portico-action': 'echo',
          'portico-fresh': 'none',
          'idempotency-key': key,
        },
        body,
      ),
    close: () => agent.destroy(),
  }
}

/** Returns the statuses of the flood and of the forms that other clients sent meanwhile. */
async function flood({ url }: SubmissionStack) {
  const send = createSender(url)
  const clients = Array.from({ length: CLIENTS }, (_, n) => ({
    address: `203.0.113.${n}`,
    key: randomBytes(16).toString('hex'),
  }))
  const repeat = ({ address, key }: { address: string; key: string }) => send.keyed(address, key, '{"args":[]}')
  const first: Reply[] = []
  for (const client of clients) first.push(await repeat(client))
  const counts = new Map<string, number>()
  const note = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  let sent = 0
  let isOver = false
  const attack = async () => {
    while (sent < 2 * POSTS_OF_EACH_KIND) {
      const number = sent++
      const address = `198.51.100.${number % 8}`
      const isKeyed = Math.floor(number / 8) % 2 === 0
      const { status } = await (isKeyed ? send.keyed(address) : send.keyless(address))
      note(`flood ${isKeyed ? 'keyed' : 'keyless'} ${status}`)
    }
  }
  const others = async () => {
    for (let n = 0; !isOver; n++) {
      note(`form ${(await send.keyed(`192.0.2.${n % 250}`, undefined, '{"args":[]}')).status}`)
      const client = n % CLIENTS
      const again = await repeat(clients[client]!)
      note(again.text === first[client]!.text ? 'repeat same' : `repeat other ${again.status}`)
      await new Promise((done) => setTimeout(done, 50))
    }
  }
  const startedAt = Date.now()
  const otherPosts = others()
  await Promise.all(Array.from({ length: AT_ONCE }, attack))
  isOver = true
  await otherPosts
  for (const [n, client] of clients.entries())
    note((await repeat(client)).text === first[n]!.text ? 'repeat same' : 'repeat other at the end')
  send.close()
  return { counts: Object.fromEntries([...counts].sort()), seconds: Math.round((Date.now() - startedAt) / 1000) }
}

function expectNothingLost({ counts }: Awaited<ReturnType<typeof flood>>): void {
  expect(counts).toEqual({
    'flood keyed 200': POSTS_OF_EACH_KIND,
    'flood keyless 303': POSTS_OF_EACH_KIND,
    'form 200': expect.any(Number),
    'repeat same': expect.any(Number),
  })
}

async function submissionMetrics({ innerUrl }: SubmissionStack): Promise<string> {
  const text = await (await fetch(`${innerUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith('portico_submissions_'))
    .join('\n')
}

describe('a flood of 60 KB posts', () => {
  test.skipIf(!hasRedis())('A5 fills a Redis to its budget only, and others notice nothing', async () => {
    const redis = await startRedis()
    const cli = (...words: string[]) =>
      execFileSync('redis-cli', ['-p', String(redis.port), ...words], { encoding: 'utf8' })
    cli('config', 'set', 'maxmemory', '512mb')
    const stack = await startSubmissionStack({ STATE_REDIS_URL: redis.url.href })
    try {
      const found = await flood(stack)
      const memory = cli('info', 'memory')
      const used = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(memory)?.[1]) / MIB
      const figures = { ...found, usedMiB: used('used_memory'), peakMiB: used('used_memory_peak') }
      console.log(`Redis: ${JSON.stringify(figures)}\n${await submissionMetrics(stack)}`)
      expectNothingLost(found)
      // What connections and scripts need of Redis besides.
      expect(figures.peakMiB).toBeLessThan(IDEMPOTENCY_BUDGET_BYTES / MIB + 16)
    } finally {
      await stack.stop()
      await redis.stop()
    }
  })

  test('A5 fills a disk to its budget only, and others notice nothing', async () => {
    const stack = await startSubmissionStack()
    try {
      const found = await flood(stack)
      const names = readdirSync(stack.dataDir).filter((name) => name.startsWith('submissions.sqlite'))
      const sizes = Object.fromEntries(names.map((name) => [name, statSync(join(stack.dataDir, name)).size / MIB]))
      console.log(`SQLite: ${JSON.stringify({ ...found, sizes })}\n${await submissionMetrics(stack)}`)
      expectNothingLost(found)
      expect(sizes['submissions.sqlite']).toBeLessThan(IDEMPOTENCY_BUDGET_BYTES / MIB)
      // The log is written back when it has 16 MB, or a little later under load.
      expect(sizes['submissions.sqlite-wal']).toBeLessThan(64)
    } finally {
      await stack.stop()
    }
  })
})
