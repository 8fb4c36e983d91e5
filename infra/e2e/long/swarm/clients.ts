// Clients of a cluster: a steady rate of pages, page data, images and submissions, each first at the next node in turn.
// A client tries another node only where no connection was made. A submission without a result is sent again with its
// key, as a browser does when its user repeats it.

import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataUrl, imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { ACTION_ID } from './site.ts'

export const PORT = 8080
const PER_SECOND = 25
/** A node that has not accepted a connection by then is passed over. */
const CONNECT_MS = 1000
/** Pauses of a submission that is sent again, and for how long it is. */
const REPEAT_PAUSE_MS = 1000
const REPEAT_LIMIT_MS = 180_000
/** Longer than every limit of the gateway, which reports a late service itself. */
const LIMIT_MS = 70_000

type Kind = 'page' | 'rendered' | 'data' | 'image' | 'action'
const MIX: readonly Kind[] = [
  'page',
  'action',
  'rendered',
  'image',
  'data',
  'page',
  'rendered',
  'action',
  'image',
  'page',
]
const PAGES = ['/', '/items/six', '/about', '/static-time']

export interface Visit {
  kind: Kind
  /** Milliseconds since the clients started. */
  at: number
  ms: number
  /** `ok`, `status 503`, `reset` before the first byte, `cut` after it, `no node` without a connection. */
  result: string
}

export interface Submission {
  /** Its key, and the name under which the action reports its run. */
  name: string
  /** The last result: `ok` is an acknowledged one. */
  result: string
}

interface Clients {
  now(): number
  /** Ends the sending; resolves when every response has arrived, and every submission has a result. */
  stop(): Promise<{ visits: Visit[]; submissions: Submission[] }>
}

export function startClients(addresses: readonly string[]): Clients {
  const visits: Visit[] = []
  const submissions: Submission[] = []
  const running = new Set<Promise<void>>()
  const started = performance.now()
  const build = { id: '' }
  let count = 0
  const now = () => performance.now() - started
  const visit = async (number: number) => {
    // Page data names a build, which the first response says.
    const kind = (build.id && MIX[number % MIX.length]) || 'page'
    const name = randomBytes(8).toString('hex')
    const at = now()
    const result = await tryNodes(addresses, number, { kind, number, name, build })
    visits.push({ kind, at, ms: now() - at, result })
    if (kind !== 'action') return
    submissions.push({ name, result: result === 'ok' ? result : await repeat(addresses, number, name) })
  }
  const timer = setInterval(() => {
    while (count < (now() * PER_SECOND) / 1000) {
      const one = visit(count++)
      running.add(one)
      void one.then(() => running.delete(one))
    }
  }, 10)
  return {
    now,
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
      return { visits, submissions }
    },
  }
}

/** Sends a submission again until it has a result: that of its first run, or that it is not known (409). */
export async function repeat(addresses: readonly string[], first: number, name: string): Promise<string> {
  const limit = performance.now() + REPEAT_LIMIT_MS
  for (let turn = first + 1; ; turn++) {
    const result = await tryNodes(addresses, turn, { kind: 'action', number: turn, name, build: { id: '' } })
    if (result === 'ok' || result === 'status 409' || performance.now() > limit) return result
    await sleep(REPEAT_PAUSE_MS)
  }
}

interface PlannedRequest {
  kind: Kind
  number: number
  name: string
  /** The build of the last response, which page data names. */
  build: { id: string }
}

/** The first node is the next one in turn. */
async function tryNodes(addresses: readonly string[], turn: number, planned: PlannedRequest): Promise<string> {
  for (let tried = 0; tried < addresses.length; tried++) {
    const address = addresses[(turn + tried) % addresses.length] ?? ''
    const result = await sendTo(address, planned)
    if (result !== undefined) return result
  }
  return 'no node'
}

/** Undefined without a connection. Each request has its own, so that a kept one of a dead node is no case of its own. */
function sendTo(address: string, planned: PlannedRequest): Promise<string | undefined> {
  const { kind, name, build } = planned
  const body = kind === 'action' ? JSON.stringify({ args: [name] }) : undefined
  const headers = { accept: 'image/webp,*/*', connection: 'close', ...(body && headersOf(name, body)) }
  return new Promise((resolve) => {
    let isConnected = false
    let hasBegun = false
    const options = { host: address, port: PORT, agent: false, method: body ? 'POST' : 'GET', path: pathOf(planned) }
    const sent = request({ ...options, headers }, (response) => {
      hasBegun = true
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve('cut'))
      response.on('end', () => {
        if (!response.complete) return resolve('cut')
        build.id = String(response.headers['portico-build'] ?? build.id)
        const text = Buffer.concat(chunks).toString('latin1')
        resolve(resultOf({ kind, name, text, status: response.statusCode ?? 0 }))
      })
    })
    const connecting = setTimeout(() => sent.destroy(new Error('no connection in time')), CONNECT_MS)
    sent.on('socket', (socket) =>
      socket.on('connect', () => {
        isConnected = true
        clearTimeout(connecting)
      }),
    )
    sent.setTimeout(LIMIT_MS, () => sent.destroy(new Error('no response in time')))
    sent.on('error', () => {
      clearTimeout(connecting)
      resolve(isConnected ? (hasBegun ? 'cut' : 'reset') : undefined)
    })
    sent.end(body)
  })
}

function headersOf(name: string, body: string): Record<string, string> {
  return {
    ...{ 'content-type': 'application/json', 'content-length': String(body.length), 'sec-fetch-site': 'same-origin' },
    ...{ 'portico-action': ACTION_ID, 'idempotency-key': name, cookie: `portico-visitor=${name}-0123456789abcdef` },
  }
}

interface Received {
  kind: Kind
  name: string
  status: number
  text: string
}

function resultOf({ kind, name, status, text }: Received): string {
  // A browser loads the page in full: the build of its page data is no longer here.
  if (kind === 'data' && status === 404 && text.includes('foreign-build')) return 'ok'
  if (status !== 200) return `status ${status}`
  const wanted = { page: '</html>', rendered: '</html>', data: '"kind":"page"', image: 'WEBP', action: name }[kind]
  return text.includes(wanted) ? 'ok' : 'cut'
}

function pathOf({ kind, number, build }: PlannedRequest): string {
  switch (kind) {
    case 'page':
      return PAGES[number % PAGES.length] ?? '/'
    case 'rendered':
      return '/headers'
    case 'data':
      return dataUrl('', build.id, '/headers')
    case 'image':
      return imageUrl('', `/pictures/sample.jpg?of=${number % 8}`, [64, 128, 256, 640][number % 4] ?? 64, 75)
    case 'action':
      return '/records'
  }
}
