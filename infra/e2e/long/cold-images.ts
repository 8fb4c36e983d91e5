// Images that no client requested before, and a process that requests them without end: a test that measures meanwhile
// must not wait for the test's own downloads.
//
//   node infra/e2e/long/cold-images.ts <origin> <in flight>     until SIGTERM; prints how many responses had which status

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { DEVICE_SIZES, IMAGE_QUALITIES, IMAGE_SIZES } from '@portico/shared/wire/constants.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { type RawResponse, send } from '../harness/http.ts'

/** Names of sources that the site must have: `/pictures/wide-0.jpg` and so on. */
export const COLD_SOURCES = 6

/** Requests another image at each call. Two of one `name` request the same ones. */
export function createColdImages(baseUrl: string, name: string): () => Promise<RawResponse> {
  const widths = [...DEVICE_SIZES, ...IMAGE_SIZES]
  let requested = 0
  return () => {
    const at = requested++
    const width = widths[at % widths.length]!
    const quality = IMAGE_QUALITIES[Math.floor(at / widths.length) % IMAGE_QUALITIES.length]!
    const source = `/pictures/wide-${at % COLD_SOURCES}.jpg?of=${name}-${Math.floor(at / 50)}`
    const accept = at % 3 === 0 ? 'image/avif,image/webp' : 'image/webp'
    return send(baseUrl, imageUrl('', source, width, quality), { headers: { accept } })
  }
}

/** Starts the process; the returned function ends it and returns the statuses, as `{"200":475,"503":304}`. */
export function floodWithImages(baseUrl: string, inFlight: number): () => Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [import.meta.filename, baseUrl, String(inFlight)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let statuses = ''
  child.stdout?.on('data', (text: Buffer) => {
    statuses += text.toString()
  })
  const closed = once(child, 'close')
  return async () => {
    if (child.exitCode !== null) throw new Error(`the flood ended by itself with code ${child.exitCode}`)
    child.kill('SIGTERM')
    await closed
    return statuses
  }
}

if (import.meta.main) {
  const [baseUrl = '', inFlight] = process.argv.slice(2)
  const requestNext = createColdImages(baseUrl, `${process.pid}-${Date.now()}`)
  const statuses: Record<number, number> = {}
  process.once('SIGTERM', () => process.stdout.write(JSON.stringify(statuses), () => process.exit()))
  const lane = async () => {
    for (;;) {
      const { status } = await requestNext()
      statuses[status] = (statuses[status] ?? 0) + 1
      // Browsers do not immediately repeat a refused request.
      if (status !== 200) await new Promise((done) => setTimeout(done, 200))
    }
  }
  await Promise.all(Array.from({ length: Number(inFlight) }, lane))
}
