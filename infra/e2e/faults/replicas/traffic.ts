// A steady mix of what clients do (pages, images, streamed pages, actions of two seconds), sent whatever the responses
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
  /** The system's error code after a fault. */
  detail: string
}

export interface Traffic {
  visits: Visit[]
  /** Milliseconds since it began. */
  now: () => number
  /** Ends the sending and waits for the responses. */
  stop(): Promise<Visit[]>
}

interface TrafficOptions {
  port: number
  perSecond: number
  /** Id of the action that leaves traces. */
  actionId: string
  /** Ten kinds in turn: the share of each. */
  mix?: readonly Kind[]
  actionMs?: number
  /** How many different images are requested. */
  imageCount?: number
}

/** Six pages, two images, one streamed page and one action out of ten. */
const MIX: readonly Kind[] = ['page', 'image', 'page', 'streamed', 'page', 'page', 'action', 'page', 'image', 'page']
const PAGES = ['/items/six', '/about', '/', '/headers', '/static-time']

/** Begins immediately. */
export function startTraffic(options: TrafficOptions): Traffic {
  const { port, perSecond, actionId, mix = MIX, actionMs = 2000, imageCount = 1 } = options
  const agent = new Agent({ keepAlive: true })
  const visits: Visit[] = []
  const running = new Set<Promise<void>>()
  const started = performance.now()
  let count = 0
  const visit = async (kind: Kind) => {
    const number = count++
    const name = randomBytes(8).toString('hex')
    const at = performance.now() - started
    const { result, detail } = await sendRequest({ port, agent, kind, number, name, actionId, actionMs, imageCount })
    visits.push({ kind, at, ms: performance.now() - started - at, result, name, detail })
  }
  // Late requests are sent without a pause: the mean rate holds on a busy machine.
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

interface PlannedRequest {
  port: number
  agent: Agent
  kind: Kind
  number: number
  name: string
  actionId: string
  actionMs: number
  imageCount: number
}

function sendRequest({ port, agent, kind, number, name, actionId, actionMs, imageCount }: PlannedRequest) {
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
      { host: '127.0.0.1', port, agent, method, path: pathOf(kind, number, imageCount), headers },
      (response) => {
        hasBegun = true
        let size = 0
        let tail = ''
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          tail = (tail + chunk.toString('latin1')).slice(-200)
        })
        response.on('error', fail)
        response.on('end', () => {
          if (response.statusCode !== 200) return resolve({ result: `status ${response.statusCode}`, detail: tail })
          const isWhole =
            kind === 'action' ? tail.includes(name) : kind === 'image' ? size > 100 : tail.includes('</html>')
          resolve({ result: isWhole ? 'ok' : 'partial', detail: isWhole ? '' : tail })
        })
      },
    )
    // Longer than the gateway's own limits: the gateway must report a late upstream itself.
    sent.setTimeout(70_000, () => sent.destroy(new Error('no response')))
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Each image of the traffic has one width. */
export function widthOf(number: number): number {
  return [64, 128, 256, 640][number % 4] ?? 64
}

/** The query makes images of one file different sources. */
export function sampleImageUrl(number: number, width: number): string {
  return imageUrl('', `/pictures/sample.jpg?of=${number}`, width, 75)
}

function pathOf(kind: Kind, number: number, imageCount: number): string {
  if (kind === 'image') return sampleImageUrl(number % imageCount, widthOf(number % imageCount))
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

export const isAction = ({ kind }: Visit) => kind === 'action'

/** How often each submission began and ended, by its name. */
export interface TraceCounts {
  begun: ReadonlyMap<string, number>
  ended: ReadonlyMap<string, number>
}

/** Submissions that ran more than once (A7), and those that had a response and did not run to their end. */
export function submissionFaults(visits: readonly Visit[], { begun, ended }: TraceCounts): string[] {
  const actions = visits.filter(isAction)
  if (actions.length === 0) return ['no submission was sent']
  return actions.flatMap(({ name, result }) => {
    const runs = begun.get(name) ?? 0
    if (runs > 1) return [`submission ${name} ran ${runs} times`]
    return result === 'ok' && !ended.has(name) ? [`submission ${name} has a response and did not run to its end`] : []
  })
}

/** The faults, for the message of a failed test. */
export function faultsOf(visits: readonly Visit[]): string[] {
  return visits
    .filter(({ result }) => result !== 'ok')
    .map(
      ({ kind, at, ms, result, detail }) => `${kind} ${result} at ${Math.round(at)} for ${Math.round(ms)}: ${detail}`,
    )
}
