// Two gateways with a page cache, three renderers and an actions service over a state Redis with the users of
// docker-compose.yml; clients that know which number of a page is the least that they may see.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { type RawRequest, type RawResponse, send } from '../../../harness/http.ts'
import { makeFolder } from '../../../harness/processes.ts'
import { buildRevalidatedSite } from '../../../sites/written/revalidated.ts'
import { createFleet, type Fleet, type Member, type ServiceName } from '../fleet.ts'

/** One response to a client. */
export interface Reading {
  name: string
  as: 'html' | 'data'
  /** The number of the last revalidation that was complete when the request was sent. */
  least: number
  /** When the request was sent, as `Date.now()`. */
  sentAt: number
  status: number
  /** Undefined for a response without a page. */
  number: number | undefined
  render: string | undefined
  /** X-Portico-Cache. */
  verdict: string | undefined
  text: string
}

export interface Raised {
  number: number
  /** When the number was raised, as `Date.now()`, a moment before the revalidation. */
  raisedAt: number
  /** The number on the page that the action's response has. */
  shown: number | undefined
}

export interface CachedStage {
  fleet: Fleet
  redis: StackRedis
  gateways: readonly [Member, Member]
  /** Processes of each gateway that serve clients. */
  workers: number
  startMore(service: ServiceName): Promise<Member>
  actionIds: { raise: string; keep: string }
  /** Raises the number of a page by an action and revalidates the page. */
  raise(name: string, options?: { by?: 'path' | 'tag'; through?: Member }): Promise<Raised>
  /** `from` is a gateway or a renderer. */
  read(name: string, from: Member, as?: 'html' | 'data'): Promise<Reading>
  /** Opens a connection for a request, which is sent in two parts. */
  openRead(name: string, from: Member): { begin(): void; finish(): Promise<Reading> }
  /** How often the data function of a page has run. */
  runsOf(name: string): number
  /** Reads each page from both gateways until both keep all of them. */
  warm(names: readonly string[]): Promise<void>
  close(): Promise<void>
}

export async function setCachedStage(workers = 1): Promise<CachedStage> {
  const folder = await makeFolder('cached-stage')
  const [appDir, dataDir] = [join(folder.path, 'site'), join(folder.path, 'data')]
  const [redis, actionIds] = await Promise.all([startStackRedis('redis-state'), buildRevalidatedSite(appDir)])
  const { buildId } = JSON.parse(await readFile(join(appDir, 'dist/manifest.json'), 'utf8')) as { buildId: string }
  const fleet = await createFleet({ appDir, dataDir })
  const close = async () => {
    await fleet.close()
    await redis.stop()
    await folder.remove()
  }
  const ofGateway = {
    GATEWAY_CACHE_MB: '16',
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
    GATEWAY_WORKERS: String(workers),
  }
  const start = (service: ServiceName) =>
    service === 'images'
      ? fleet.start(service)
      : fleet.start(service, {
          STATE_REDIS_URL: redis.urlOf(service).href,
          // The stack makes its secrets itself.
          ...{ STACK_TOKEN: '', ACTION_KEYS: '' },
          ...(service === 'gateway' && ofGateway),
        })
  // A gateway is ready only after a replica of every service has been ready.
  const services = ['gateway', 'gateway', 'renderer', 'renderer', 'renderer', 'actions', 'images'] as const
  const [one, two] = await Promise.all(services.map(start)).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const gateways = [one!, two!] as const
  const least = new Map<string, number>()

  const known = (name: string, as: 'html' | 'data') => ({ name, as, least: least.get(name) ?? 0, sentAt: Date.now() })
  const readOver = async (options: RawRequest, name: string, from: Member, as: 'html' | 'data'): Promise<Reading> => {
    const sent = known(name, as)
    const path = pathOf(name)
    const target = as === 'html' ? path : dataUrl('', buildId, path)
    return { ...sent, ...contentOf(await send(urlOf(from), target, options), as) }
  }
  return {
    fleet,
    redis,
    gateways,
    workers,
    startMore: start,
    actionIds,
    read: (name, from, as = 'html') => readOver({}, name, from, as),
    openRead(name, from) {
      const { begin, finish } = openRequest(from, pathOf(name))
      return { begin, finish: async () => ({ ...known(name, 'html'), ...contentOf(await finish(), 'html') }) }
    },
    async raise(name, { by = 'path', through = gateways[0] } = {}) {
      const headers = {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'portico-action': actionIds.raise,
      }
      const body = JSON.stringify({ args: [name, by] })
      const sent = { method: 'POST', headers: { ...headers, 'content-length': String(body.length) }, body }
      const { status, text } = await send(urlOf(through), pathOf(name), sent)
      if (status !== 200) throw new Error(`the action got ${status}: ${text}`)
      const { value, page } = JSON.parse(text) as ActionResult
      least.set(name, Math.max(value.number, least.get(name) ?? 0))
      return { ...value, shown: page?.props.number }
    },
    runsOf(name) {
      try {
        return readFileSync(join(dataDir, 'numbers', `${name}.runs`)).length
      } catch {
        // The function has not run.
        return 0
      }
    },
    async warm(names) {
      const end = performance.now() + 30_000
      // Workers receive connections in turns.
      for (const gateway of gateways)
        for (const name of names)
          for (let hits = 0; hits < 2 * workers - 1; ) {
            hits = (await readOver({ agent: false }, name, gateway, 'html')).verdict === 'HIT' ? hits + 1 : 0
            if (hits > 0) continue
            if (performance.now() > end) throw new Error(`30 s have passed, and a gateway does not keep ${name}`)
            await new Promise((done) => setTimeout(done, 20))
          }
    },
    close,
  }
}

/** A GET whose head is sent in two parts, over a connection that is opened immediately. */
function openRequest({ address, port }: Member, path: string) {
  const socket = connect({ host: address, port, noDelay: true })
  return {
    begin: () => void socket.write(`GET ${path} HTTP/1.1\r\nHost: ${address}:${port}\r\n`),
    async finish(): Promise<Response> {
      socket.write('Connection: close\r\n\r\n')
      const received = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString()
      const [head = '', ...body] = received.split('\r\n\r\n')
      const verdict = /^x-portico-cache: (.*)$/im.exec(head)?.[1]
      const headers = { 'x-portico-cache': verdict }
      return { status: Number(head.split(' ')[1]), headers, text: body.join('\r\n\r\n') }
    },
  }
}

type Response = Pick<RawResponse, 'status' | 'headers' | 'text'>

/** The parts of the action's response that tests read. */
interface ActionResult {
  value: { number: number; raisedAt: number }
  page?: { props: { number: number } }
}

const urlOf = ({ address, port }: Member) => `http://${address}:${port}`
const pathOf = (name: string) => (name === 'shared' ? '/shared' : `/static/${name}`)

function contentOf({ status, headers, text }: Response, as: 'html' | 'data') {
  const verdict = headers['x-portico-cache']
  const common = { status, text, verdict: typeof verdict === 'string' ? verdict : undefined }
  const [, number, render] = (as === 'html' ? HTML : DATA).exec(text) ?? []
  return { ...common, number: number === undefined ? undefined : Number(number), render }
}

const HTML = /<main data-number="(\d+)" data-render="([\w-]+)"/
const DATA = /"number":(\d+),"render":"([\w-]+)"/
