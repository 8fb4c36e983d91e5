// A steady mix of what clients do (pages, images, streamed pages, actions of two seconds), sent whatever the answers
// take, over kept connections, and without a second try: what goes wrong is seen as it is.

import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'

export type Kind = 'page' | 'image' | 'streamed' | 'action'

export interface Visit {
  kind: Kind
  /** Milliseconds since the traffic began. */
  at: number
  ms: number
  /** `ok`, `status 502`, `reset` before the first byte, `cut` after it, `partial` when the end is missing unsaid. */
  result: string
  /** Name of the action's trace. */
  name: string
  /** When it went wrong: the system's word for it. */
  detail: string
}

export interface Traffic {
  visits: Visit[]
  /** Milliseconds since it began. */
  now: () => number
  /** Ends the sending and waits for the answers. */
  stop(): Promise<Visit[]>
}

export interface TrafficOptions {
  port: number
  perSecond: number
  /** Id of the action that leaves traces. */
  actionId: string
  /** Ten kinds in turn: the share of each. */
  mix?: readonly Kind[]
  actionMs?: number
  /** How many different images are asked for. */
  pictures?: number
}

/** Six pages, two images, one streamed page and one action out of ten. */
const MIX: readonly Kind[] = ['page', 'image', 'page', 'streamed', 'page', 'page', 'action', 'page', 'image', 'page']
const PAGES = ['/items/six', '/about', '/', '/headers', '/static-time']

/** Begins at once. */
export function startTraffic(options: TrafficOptions): Traffic {
  const { port, perSecond, actionId, mix = MIX, actionMs = 2000, pictures = 1 } = options
  const agent = new Agent({ keepAlive: true })
  const visits: Visit[] = []
  const running = new Set<Promise<void>>()
  const started = performance.now()
  let count = 0
  const visit = async (kind: Kind) => {
    const number = count++
    const name = randomBytes(8).toString('hex')
    const at = performance.now() - started
    const { result, detail } = await ask({ port, agent, kind, number, name, actionId, actionMs, pictures })
    visits.push({ kind, at, ms: performance.now() - started - at, result, name, detail })
  }
  // Whoever is late catches up: the rate holds in the mean on a machine that is busy.
  const timer = setInterval(() => {
    while (count < ((performance.now() - started) * perSecond) / 1000) {
      const one = visit(mix[count % mix.length] ?? 'page')
      running.add(one)
      void one.then(() => running.delete(one))
    }
  }, 10)
  return {
    visits,
    now: () => performance.now() - started,
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
      agent.destroy()
      return visits
    },
  }
}

interface Asked {
  port: number
  agent: Agent
  kind: Kind
  number: number
  name: string
  actionId: string
  actionMs: number
  pictures: number
}

function ask({ port, agent, kind, number, name, actionId, actionMs, pictures }: Asked) {
  const body = kind === 'action' ? JSON.stringify({ args: [{ name, waitMs: actionMs }] }) : undefined
  const headers: Record<string, string> = { accept: 'image/webp,*/*' }
  if (body !== undefined)
    Object.assign(headers, {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'sec-fetch-site': 'same-origin',
      'portico-action': actionId,
      'idempotency-key': name,
      cookie: `portico-visitor=${name}-0123456789abcdef`,
    })
  return new Promise<{ result: string; detail: string }>((resolve) => {
    let hasBegun = false
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ result: hasBegun ? 'cut' : 'reset', detail: `${error.code} ${error.message} ${sent.reusedSocket}` })
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(
      { host: '127.0.0.1', port, agent, method, path: pathOf(kind, number, pictures), headers },
      (answer) => {
        hasBegun = true
        let size = 0
        let tail = ''
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          tail = (tail + chunk.toString('latin1')).slice(-200)
        })
        answer.on('error', fail)
        answer.on('end', () => {
          if (answer.statusCode !== 200) return resolve({ result: `status ${answer.statusCode}`, detail: tail })
          const isWhole =
            kind === 'action' ? tail.includes(name) : kind === 'image' ? size > 100 : tail.includes('</html>')
          resolve({ result: isWhole ? 'ok' : 'partial', detail: isWhole ? '' : tail })
        })
      },
    )
    // Longer than the gateway's own limits: it must say by itself what is late.
    sent.setTimeout(70_000, () => sent.destroy(new Error('no answer')))
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Each image of the traffic has one width. */
export function widthOf(number: number): number {
  return [64, 128, 256, 640][number % 4] ?? 64
}

/** The query makes images of one file different sources. */
export function pictureUrl(number: number, width: number): string {
  return imageUrl('', `/pictures/sample.jpg?of=${number}`, width, 75)
}

function pathOf(kind: Kind, number: number, pictures: number): string {
  if (kind === 'image') return pictureUrl(number % pictures, widthOf(number % pictures))
  if (kind === 'streamed') return '/streamed'
  return kind === 'action' ? '/traces' : (PAGES[number % PAGES.length] ?? '/')
}

/** How many of each kind ended in which way, as `page ok 120`. */
export function countResults(visits: readonly Visit[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, result } of visits) {
    const name = `${kind} ${result}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** What went wrong, for the message of a test that fails. */
export function faultsOf(visits: readonly Visit[]): string[] {
  return visits
    .filter(({ result }) => result !== 'ok')
    .map(
      ({ kind, at, ms, result, detail }) => `${kind} ${result} at ${Math.round(at)} for ${Math.round(ms)}: ${detail}`,
    )
}
