// The memory of a gateway whose bounds are all full under load: pages in all their forms, static files, bodies that wait.
// Compared with the limit of its container.

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { requestsPerSecond, withProcesses } from '../processes.ts'
import { type GatewayProcess, startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startPageRenderer } from './page-renderer.ts'
import { PAGES } from './pages.ts'

const HELP = `node infra/bench/gateway/memory.ts [--seconds 20] [--cgroup FOLDER]

A gateway with the page cache of its container (64 MB) is loaded with 2 000 pages of 20 KB in four forms, 64 MB of static
files, and 32 MiB of bodies that do not end. Prints the memory of the process (RSS) at the end, its peak, and the bytes
that the gateway counts for its pages.

--cgroup starts the gateway in a control group. Node sizes its heap by the limit, so only this is the memory of a container:

  mkdir /sys/fs/cgroup/bench && echo 384M > /sys/fs/cgroup/bench/memory.max     (version 1: memory.limit_in_bytes)

Exit code 1 if the gateway ends, or its peak is above the 384 MB of the container. Needs wrk.`

const CONTAINER_MB = 384
const CACHE_MB = 64
const KEPT_PAGES = 2000
const STATIC_FILES = 160
const STATIC_FILE_BYTES = 400 * 1024
/** One byte less than announced, so that the gateway waits for the rest of each body. */
const BODY_BYTES = 64 * 1024
const BODIES = 512
const CONNECTIONS = 64
/** A body that pauses for longer is ended by the gateway. */
const BODIES_SECONDS = 8

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    cgroup: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (given.help) console.log(HELP)
else await fill(Number(given.seconds))

async function fill(seconds: number): Promise<void> {
  await withProcesses('memory', async (folder, children) => {
    const every = await startPageRenderer(children)
    await writeApp(folder)
    const gateway = await startGatewayProcess({
      appDir: folder,
      every,
      environment: {
        GATEWAY_CACHE_MB: String(CACHE_MB),
        STACK_TOKEN: 't'.repeat(40),
        // As in docker/Dockerfile.
        MALLOC_ARENA_MAX: '1',
        MAX_CONNECTIONS_PER_ADDRESS: '10000',
      },
      cgroup: given.cgroup,
    })
    children.push(gateway.child)
    print('started', gateway)
    const script = join(folder, 'random.lua')
    await writeFile(script, randomRequests())
    load(gateway, script, seconds)
    print('pages and files', gateway)
    const bodies = await sendBodies(gateway)
    load(gateway, script, Math.min(seconds, BODIES_SECONDS))
    print('and bodies', gateway)
    for (const socket of bodies) socket.destroy()
    console.log(await countedBytes(gateway))
    if (statusOf(gateway, 'VmHWM') <= CONTAINER_MB) return
    console.log(`the peak is above ${CONTAINER_MB} MB`)
    process.exitCode = 1
  })
}

async function writeApp(folder: string): Promise<void> {
  const names = Array.from({ length: STATIC_FILES }, (_, at) => `file-${at}-0123456789.bin`)
  const entry = { size: STATIC_FILE_BYTES, type: 'application/octet-stream', encodings: {} }
  const staticFiles = Object.fromEntries(names.map((name) => [name, { ...entry, etag: `"${name}"` }]))
  await writeEmptyApp(folder, { pages: PAGES, staticFiles })
  await mkdir(join(folder, 'dist/client/static'), { recursive: true })
  const bytes = Buffer.alloc(STATIC_FILE_BYTES, 'static')
  await Promise.all(names.map((name) => writeFile(join(folder, 'dist/client/static', name), bytes)))
}

/** One of twenty requests is for a static file. */
function randomRequests(): string {
  return `
    local encodings = { 'identity', 'br', 'zstd', 'gzip' }
    request = function()
      if math.random(20) == 1 then
        return wrk.format('GET', '/_portico/static/file-' .. math.random(0, ${STATIC_FILES - 1}) .. '-0123456789.bin')
      end
      local headers = { ['accept-encoding'] = encodings[math.random(4)] }
      return wrk.format('GET', '/kept/' .. math.random(${KEPT_PAGES}), headers)
    end
  `
}

function load({ url }: GatewayProcess, script: string, seconds: number): void {
  requestsPerSecond(url, { connections: CONNECTIONS, seconds, script, timeoutSeconds: 30 })
}

/** Resolves when the gateway has read all bytes that it receives. */
async function sendBodies({ url }: GatewayProcess): Promise<Socket[]> {
  const { hostname, port, host } = new URL(url)
  const head = `POST /api/any HTTP/1.1\r\nhost: ${host}\r\ncontent-type: text/plain\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`
  const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(BODY_BYTES - 1, 'x')])
  return Promise.all(
    Array.from({ length: BODIES }, async () => {
      const socket = connect(Number(port), hostname)
      // The gateway may refuse the last ones, as its limit wants.
      socket.on('error', () => {})
      await new Promise<void>((done) => socket.write(bytes, () => done()))
      return socket
    }),
  )
}

function print(name: string, gateway: GatewayProcess): void {
  const [now, peak] = (['VmRSS', 'VmHWM'] as const).map((field) => statusOf(gateway, field).toFixed(0).padStart(5))
  console.log(`${name.padEnd(16)} ${now} MB, peak ${peak} MB`)
}

/** A field of /proc in megabytes; 0 where there is none. */
function statusOf({ child }: GatewayProcess, field: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return 0
  const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

async function countedBytes({ innerUrl }: GatewayProcess): Promise<string> {
  // Connections that ended while wrk ran are noticed first.
  await new Promise((done) => setTimeout(done, 100))
  const text = await (await fetch(`${innerUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) =>
      /^portico_(page_cache_(bytes|entries|evicted)|nodejs_(heap_size_used|external_memory)_bytes)/.test(line),
    )
    .join('\n')
}
