// What compression costs in the gateway for a page that is made for each request, by format and level: the processor
// time of one call next to that of the hop, and the same through the gateway with the levels that it uses.

import { parseArgs } from 'node:util'
import * as zlib from 'node:zlib'
import { COMPRESSION, ENCODINGS, type Encoding } from '@portico/shared/wire/encodings.ts'
import { median, withProcesses } from '../processes.ts'
import { startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startPageRenderer } from './page-renderer.ts'
import { LARGE_PAGE_BYTES, PAGES, pageText } from './pages.ts'
import { measureInTurns, TURN_OPTIONS, type Turns, turnsOf } from './rates.ts'

const HELP = `node infra/bench/gateway/compression.ts [--rounds 5] [--seconds 3]

Processor time of the gateway for a 60 KB page that is made for each request: without compression, with each format as
the gateway compresses, and the share of the compression in it. Then the same share for other levels, from the time of
one call in this process. Wanted: at most 25 %.

Figures are medians of the rounds. Needs wrk; about 20 s a round.`

/** Calls of one reading of a level. */
const CALLS = 200
const LEVELS: Readonly<Record<Encoding, readonly number[]>> = {
  br: [0, 1, 2, 4, 5],
  zstd: [-5, 1, 2, 3],
  gzip: [1, 2, 4, 6],
}

const { values: given } = parseArgs({ options: TURN_OPTIONS })
if (given.help) console.log(HELP)
else {
  const hopUs = await compareFormats(turnsOf(given))
  await compareLevels(hopUs, Number(given.rounds))
}

/** Resolves with the processor time of the hop without compression, in microseconds. */
async function compareFormats(turns: Turns): Promise<number> {
  return withProcesses('compression', async (folder, children) => {
    const every = await startPageRenderer(children)
    await writeEmptyApp(folder, { pages: PAGES })
    const gateway = await startGatewayProcess({ appDir: folder, every })
    children.push(gateway.child)
    const target = { name: 'plain', url: `${gateway.url}/made/large`, process: gateway.child }
    const targets = [target, ...ENCODINGS.map((accepts) => ({ ...target, name: accepts, accepts }))]
    const middle = measureInTurns(targets, turns)
    const hopUs = middle('plain', 'cpu')
    console.log(`through the gateway  requests/s  CPU us/request    share`)
    for (const { name } of targets) {
      const cpu = middle(name, 'cpu')
      const level = name === 'plain' ? '' : ` ${COMPRESSION.passing[name as Encoding]}`
      const rate = Math.round(middle(name, 'rate')).toString().padStart(11)
      console.log(`${(name + level).padEnd(19)} ${rate} ${cpu.toFixed(0).padStart(15)} ${percent(1 - hopUs / cpu)}`)
    }
    return hopUs
  })
}

async function compareLevels(hopUs: number, rounds: number): Promise<void> {
  const page = Buffer.from(pageText(LARGE_PAGE_BYTES))
  console.log(`\none call        us      bytes    share`)
  for (const encoding of ENCODINGS)
    for (const level of LEVELS[encoding]) {
      const readings: number[] = []
      for (let round = 0; round <= rounds; round++) readings.push(await microsecondsOf(encoding, level, page))
      // The first reading warms up.
      const us = median(readings.slice(1))
      const { length } = await compress(encoding, level, page)
      const name = `${encoding} ${level}`.padEnd(9)
      console.log(
        `${name} ${us.toFixed(0).padStart(9)} ${length.toString().padStart(10)} ${percent(us / (us + hopUs))}`,
      )
    }
}

/** Processor time of one call, with the hand-over to a thread that it needs in the gateway, too. */
async function microsecondsOf(encoding: Encoding, level: number, page: Buffer): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < CALLS; call++) await compress(encoding, level, page)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / CALLS
}

function compress(encoding: Encoding, level: number, page: Buffer): Promise<Buffer> {
  const { constants } = zlib
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytes: Buffer) => (error ? reject(error) : resolve(bytes))
    switch (encoding) {
      case 'br': {
        const { brotliWindow } = COMPRESSION.passing
        const params = { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_LGWIN]: brotliWindow }
        return zlib.brotliCompress(page, { params }, done)
      }
      case 'zstd':
        return zlib.zstdCompress(page, { params: { [constants.ZSTD_c_compressionLevel]: level } }, done)
      case 'gzip':
        return zlib.gzip(page, { level }, done)
    }
  })
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`.padStart(8)
}
