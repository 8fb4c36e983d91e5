// For tests: a gateway on a free port with a small build, and upstreams that record their requests.

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { type FileEntry, MANIFEST_FORMAT, type Manifest } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { Registry } from '@prometheus-io/client'
import type { GatewayDeps } from '../app.ts'
import { type GatewayConfig, readGatewayConfig } from '../config.ts'
import type { Control } from '../control/stack-token.ts'
import { parseTrustedProxies } from '../headers/forwarded.ts'
import { type GatewayParts, openGateway } from '../open.ts'
import type { WaitingLimits } from '../proxy/proxy.ts'
import type { ReplicasByService } from '../replicas/replicas-by-service.ts'
import type { ReplicasOptions } from '../replicas/service-replicas.ts'
import type { ServiceName } from '../routes.ts'
import type { Explain } from '../why/why.ts'

interface Recorded {
  method: string
  url: string
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: string
}

export interface Upstream {
  url: URL
  port: number
  requests: Recorded[]
  isReady: boolean | 'draining'
  /** What `/readyz` reports. */
  version: string | undefined
  /** Responds to requests that are not probes; may be changed at any time. */
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void
  server: Server
  stop(): Promise<void>
}

interface UpstreamOptions {
  host?: string
  port?: number
  version?: string | undefined
  respond?: Upstream['respond']
}

/** A recording server. Without `respond` it sends a short page that names it. */
export async function startUpstream(
  name: string,
  { host = '127.0.0.1', port = 0, version, respond }: UpstreamOptions = {},
): Promise<Upstream> {
  const server = createServer((request, response) => {
    if (request.url === '/readyz') {
      const { isReady, version } = upstream
      const waiting = isReady === 'draining' ? [isReady] : []
      return void response.writeHead(isReady === true ? 200 : 503).end(JSON.stringify({ version, waiting }))
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { method = '', url = '', headers, rawHeaders } = request
      upstream.requests.push({ method, url, headers, rawHeaders, body })
      upstream.respond(request, response, body)
    })
  })
  await new Promise<void>((done) => server.listen(port, host, done))
  // A TCP server that listens has an AddressInfo.
  const actual = (server.address() as AddressInfo).port
  const upstream: Upstream = {
    url: new URL(`http://${host}:${actual}`),
    port: actual,
    requests: [],
    isReady: true,
    version,
    respond:
      respond ?? ((_request, response) => void response.setHeader('content-type', 'text/html').end(`from ${name}`)),
    server,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return upstream
}

export interface TestGateway {
  port: number
  sitePort: number
  innerPort: number
  service: Service
  /** Parsed lines of the log so far. */
  lines: Record<string, unknown>[]
  registry: Registry
  replicas: ReplicasByService
  explain: Explain
  build: AppBuild
  stop(): Promise<void>
}

export interface GatewayOptions
  extends Partial<
      Omit<GatewayDeps & WaitingLimits, 'build' | 'replicas' | 'pageCache' | 'trustedProxies' | 'listener'>
    >,
    Pick<GatewayParts, 'pageCache' | 'otherBuilds'> {
  manifest?: Partial<Manifest>
  upstreams: Partial<Record<ServiceName, Upstream | URL>>
  trustedProxies?: string[]
  /** The limit of the page cache (default 0: there is none). */
  cacheBytes?: number
  replicaOptions?: Partial<ReplicasOptions>
  verdictLimits?: GatewayParts['verdicts']
  /** Files by path below dist, as in `client/static/a.js`; those of static and public are put into the manifest. */
  files?: Record<string, string>
  drain?: { delayMs: number; deadlineMs: number }
  maxConnections?: number
}

/** The token of the stack, where a test has not its own. */
export const TOKEN = 'token-of-the-stack-as-the-tests-have-it'

/** What a gateway has once, without a state store. */
export const CONTROL: Control = {
  marks: undefined,
  token: { current: () => TOKEN },
  postLimit: undefined,
  published: async () => {},
}

/** The settings of a gateway on free ports; the others have their defaults. */
export function configOf(upstreams: GatewayOptions['upstreams'], settings: Partial<GatewayConfig> = {}): GatewayConfig {
  const nowhere = new URL('http://127.0.0.1:9')
  const addressOf = (service: ServiceName) => {
    const given = upstreams[service]
    const url = given === undefined ? nowhere : given instanceof URL ? given : given.url
    return [{ url, innerUrl: url }]
  }
  const host = '127.0.0.1'
  return {
    ...readGatewayConfig({}, () => {}, 0, 1),
    host,
    port: 0,
    siteHost: host,
    sitePort: 0,
    innerHost: host,
    innerPort: 0,
    services: { renderer: addressOf('renderer'), images: addressOf('images'), actions: addressOf('actions') },
    cacheBytes: 0,
    accessLinesPerClient: 0,
    ...settings,
  }
}

/** Starts a gateway with both listeners. */
export async function startGateway(options: GatewayOptions): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const { upstreams, files = {}, manifest: given = {}, trustedProxies = [], maxConnections, ...more } = options
  const { replicaOptions, pageCache, verdictLimits, otherBuilds, cacheBytes = 0, oldBuilds, drain, ...app } = more
  const build: AppBuild = { dir: join(folder, 'dist'), manifest: writeBuild(join(folder, 'dist'), files, given) }
  const lines: Record<string, unknown>[] = []
  // The log writes lines of JSON.
  const log = createLog('gateway', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { delayMs: drainDelayMs, deadlineMs: drainDeadlineMs } = drain ?? { delayMs: 0, deadlineMs: 1000 }
  const config = configOf(upstreams, { cacheBytes, drainDelayMs, drainDeadlineMs })
  const opened = await openGateway(config, log, {
    site: { build },
    control: CONTROL,
    registry: new Registry(),
    ...(oldBuilds && { store: oldBuilds }),
    ...(replicaOptions && { replicas: replicaOptions }),
    ...(pageCache && { pageCache }),
    ...(verdictLimits && { verdicts: verdictLimits }),
    otherBuilds: { retryMs: 50, ...otherBuilds },
    app: { ...app, trustedProxies: parseTrustedProxies(trustedProxies) ?? [] },
  })
  const { registry } = opened
  const service = await startService({
    log,
    ...opened,
    inner: { host: '127.0.0.1', port: 0, metrics: registry },
    ...(maxConnections !== undefined && { maxConnections }),
  })
  return {
    port: service.ports.public!,
    sitePort: service.ports.site!,
    innerPort: service.ports.inner!,
    service,
    lines,
    registry,
    replicas: opened.replicas,
    explain: opened.explain,
    build,
    async stop() {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const SCREEN_POLICY = {
  name: 'content-security-policy',
  value: "default-src 'none'; style-src 'unsafe-inline'",
} as const

function writeBuild(dist: string, files: Record<string, string>, given: Partial<Manifest>): Manifest {
  const staticFiles: Record<string, FileEntry> = {}
  const publicFiles: Record<string, FileEntry> = {}
  for (const [path, text] of Object.entries(files)) {
    const file = join(dist, path)
    mkdirSync(dirname(file), { recursive: true })
    const identity = Buffer.from(text)
    const forms = { br: brotliCompressSync(identity), zstd: zstdCompressSync(identity), gzip: gzipSync(identity) }
    writeFileSync(file, identity)
    const entry: FileEntry = {
      size: identity.length,
      type: path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/plain; charset=utf-8',
      etag: `"${createHash('sha256').update(identity).digest('hex').slice(0, 16)}"`,
      encodings: {},
    }
    if (identity.length > 100) {
      writeFileSync(`${file}.br`, forms.br)
      writeFileSync(`${file}.zst`, forms.zstd)
      writeFileSync(`${file}.gz`, forms.gzip)
      entry.encodings = { br: forms.br.length, zstd: forms.zstd.length, gzip: forms.gzip.length }
    }
    if (path.startsWith('client/static/')) staticFiles[path.slice('client/static/'.length)] = entry
    if (path.startsWith('public/')) publicFiles[path.slice('public'.length)] = entry
  }
  const rules = { redirects: [], rewrites: [], rewriteOrigins: {}, headers: [] }
  const empty = { pages: [], screens: [], apiRoutes: [], actions: [], ...rules }
  // The gateway reads neither publicEnv, nor the browser entry, nor more of images.
  const manifest = {
    format: MANIFEST_FORMAT,
    version: PORTICO_VERSION,
    buildId: 'build1',
    basePath: '',
    trailingSlash: false,
    semantics: {},
    ...empty,
    csp: { site: null, routes: {}, screen: SCREEN_POLICY },
    images: { localPatterns: [], deviceSizes: [640], imageSizes: [16], qualities: [75] },
    staticFiles,
    publicFiles,
    ...given,
  } as Manifest
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'manifest.json'), JSON.stringify(manifest))
  return manifest
}

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: Buffer
  text: string
}

/** Sends a request unchanged: no decoding, no redirects, no canonical paths. Rejects when the response breaks off. */
export function send(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const request = sendRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const whole = Buffer.concat(chunks)
        const { statusCode = 0, rawHeaders } = response
        resolve({ status: statusCode, headers: response.headers, rawHeaders, body: whole, text: whole.toString() })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Writes bytes to a connection and reads until the connection is closed or silent for half a second. */
export function sendRaw(port: number, text: string): Promise<{ text: string; isClosed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    let received = ''
    socket.setTimeout(2000, () => {
      resolve({ text: received, isClosed: false })
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve({ text: received, isClosed: true }))
  })
}

/** What an upstream received from clients, without the requests that the gateway makes at its inner port. */
export function ofClients({ requests }: Pick<Upstream, 'requests'>): Recorded[] {
  return requests.filter(({ url }) => !url.startsWith('/internal/'))
}

/** One upstream for all services. */
export function all(upstream: Upstream): Record<ServiceName, Upstream> {
  return { renderer: upstream, images: upstream, actions: upstream }
}
