// What a page from the gateway's memory costs, against the gateway's own static file of equal bytes, bare node:http, the
// same page through the hop, and a page of another server; and whether the page cache costs pages that it cannot keep.

import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants } from 'node:zlib'
import { withProcesses } from '../processes.ts'
import { startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startPageRenderer } from './page-renderer.ts'
import { PAGE_BYTES, PAGES, pageText } from './pages.ts'
import { measureInTurns, type Target, TURN_OPTIONS, turnsOf } from './rates.ts'

const HELP = `node infra/bench/gateway/cached-pages.ts [--rounds 5] [--seconds 3] [--peer URL]

Requests a second and processor time of a request of one gateway process, 16 connections, medians of the rounds. --peer
adds a line for a page that is served elsewhere on this machine, such as the ISR page of \`next start\`.

Exit code 1 if a page from memory is slower than 0.9 of a static file. Needs wrk; about 40 s a round.`

/** The wanted part of the rate of a static file. */
const WANTED_SHARE = 0.9
const FILE = 'page-0123456789.html'

const { values: given } = parseArgs({
  options: { ...TURN_OPTIONS, peer: { type: 'string' } },
})
if (given.help) console.log(HELP)
else await withProcesses('cached-pages', async (...place) => report(await startTargets(...place)))

async function startTargets(folder: string, children: ChildProcess[]): Promise<Target[]> {
  const every = await startPageRenderer(children)
  const [renderer] = children
  await writeApp(folder)
  const start = async (megabytes: number) => {
    const environment = { GATEWAY_CACHE_MB: String(megabytes), STACK_TOKEN: 't'.repeat(40) }
    const gateway = await startGatewayProcess({ appDir: folder, every, environment })
    children.push(gateway.child)
    return gateway
  }
  const [on, off] = [await start(64), await start(0)]
  const file = `${on.url}/_portico/static/${FILE}`
  return [
    { name: 'bare node:http', url: every.url, process: renderer },
    { name: 'static file', url: file, process: on.child },
    { name: 'page from memory', url: `${on.url}/kept`, process: on.child },
    { name: 'static file, br', url: file, process: on.child, accepts: 'br' },
    { name: 'page from memory, br', url: `${on.url}/kept`, process: on.child, accepts: 'br' },
    { name: 'page, cache off', url: `${off.url}/kept`, process: off.child },
    { name: 'page, cache off, br', url: `${off.url}/kept`, process: off.child, accepts: 'br' },
    { name: 'made, cache on', url: `${on.url}/made`, process: on.child },
    { name: 'made, cache off', url: `${off.url}/made`, process: off.child },
    ...(given.peer === undefined ? [] : [{ name: 'peer', url: given.peer, process: undefined }]),
  ]
}

/** A build with one hashed file that has the bytes of a page. */
async function writeApp(folder: string): Promise<void> {
  const bytes = Buffer.from(pageText(PAGE_BYTES))
  const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  const entry = { size: bytes.length, type: 'text/html; charset=utf-8', etag, encodings: { br: br.length } }
  await writeEmptyApp(folder, { pages: PAGES, staticFiles: { [FILE]: entry } })
  const path = join(folder, 'dist/client/static', FILE)
  await writeFile(path, bytes)
  await writeFile(`${path}.br`, br)
}

function report(targets: Target[]): void {
  const middle = measureInTurns(targets, turnsOf(given))
  const rateOf = (name: string) => middle(name, 'rate')
  console.log(`${given.rounds} rounds              requests/s  of file  of bare  of peer   CPU us/request`)
  for (const { name } of targets) {
    const ratios = [name.endsWith(', br') ? 'static file, br' : 'static file', 'bare node:http', 'peer']
      .map((base) => rateOf(name) / rateOf(base))
      .map((ratio) => (Number.isNaN(ratio) ? '' : ratio.toFixed(2)).padStart(8))
    const cpu = middle(name, 'cpu')
    const time = (Number.isNaN(cpu) ? '' : cpu.toFixed(1)).padStart(16)
    console.log(`${name.padEnd(21)} ${Math.round(rateOf(name)).toString().padStart(11)} ${ratios.join(' ')} ${time}`)
  }
  for (const form of ['', ', br']) {
    const share = rateOf(`page from memory${form}`) / rateOf(`static file${form}`)
    if (share >= WANTED_SHARE) continue
    console.log(`page from memory${form}: ${share.toFixed(2)} of a static file, wanted ${WANTED_SHARE}`)
    process.exitCode = 1
  }
}
