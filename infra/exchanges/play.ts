// Plays the requests of a form to a whole stack, one after the other.

import { createServer } from 'node:http'
import { createRandom } from '@portico/shared/kit/testing/random.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { craftRequests } from '../e2e/behaviours/cached-pages/crafted-requests.ts'
import { pageUrl } from '../e2e/behaviours/cached-pages/safety.ts'
import { exchange, type SeenResponse } from '../e2e/behaviours/cached-pages/seen-response.ts'
import { createFleet } from '../e2e/faults/replicas/fleet.ts'
import { OTHER_PORT, type RecordedForm } from './sites.ts'

export interface Exchanged {
  /** `GET /path`, and the request's rows. */
  request: string
  /** Undefined: the connection ended without a whole response. */
  response: string | undefined
}

const PATHS = [
  ...['/', '/about', '/gone', '/none', '/nowhere', '/404', '/pick', '/gated', '/form', '/big/a', '/old/a', '/alias/a'],
  ...['/posts/known', '/posts/{fresh}', '/posts/a%2Fb%20%C3%A9', '/posts/hidden', '/posts/missing', '/posts/moved'],
  ...[
    '/posts/moved-for-good',
    '/posts/broken',
    '/open/a',
    '/widgets/a',
    '/known/one',
    '/known/other',
    '/shell/missing',
  ],
  ...['/files/a/b/c', '/docs', '/docs/a/b', '/me', '/me/a/b', '/writer', '/forger', '/nonce', '/streamed'],
  ...['/api/forged', '/api/echo', '/api/nothing', '/note.txt', '/long.txt', '/dot.svg', '/docs-of-others/a'],
  ...['/de/about', '/de/me', '/fr', '/fr/posts/known'],
] as const
const ENCODINGS = ['', 'br', 'zstd', 'gzip', 'gzip, deflate, br, zstd'] as const
const ROWS_AT_ONCE = 12

interface PlayOptions {
  /** The folder of the built site. */
  appDir: string
  dataDir: string
  manifest: Manifest
  seed: number
  count: number
  onExchange: (exchanged: Exchanged) => void
}

/** Starts the stack of a form, plays `count` requests, and stops it. */
export async function play({ environment }: RecordedForm, options: PlayOptions): Promise<void> {
  const { appDir, dataDir, manifest, seed, count, onExchange } = options
  const other = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('x-other', '1').end(`other ${request.method} ${request.url}`))
  })
  await new Promise<void>((done) => other.listen(OTHER_PORT, '127.0.0.1', done))
  const own = { REWRITE_INNER_HOSTS: '127.0.0.1', ACCESS_LINES_PER_CLIENT: '0' }
  const fleet = await createFleet({ appDir, dataDir })
  try {
    await Promise.all([fleet.start('renderer'), fleet.start('actions'), fleet.start('images')])
    const { address, port } = await fleet.start('gateway', { ...own, ...environment })
    const random = createRandom(seed)
    const statics = Object.keys(manifest.staticFiles).map((name) => `${manifest.basePath}/_portico/static/${name}`)
    let sent = 0
    while (sent < count)
      for (const crafted of craftRequests(ROWS_AT_ONCE, random)) {
        const path = random.pick(PATHS).replace('{fresh}', `fresh-${sent}`)
        const kind = random.below(8)
        const written = pageUrl(manifest, path)
        const target =
          kind === 0 ? random.pick(statics) : kind < 3 ? dataUrl(manifest.basePath, manifest.buildId, path) : written
        const encoding = random.pick(ENCODINGS)
        const isSet = crafted.headers.includes('accept-encoding')
        const headers = [...crafted.headers, ...(encoding && !isSet ? ['accept-encoding', encoding] : [])]
        const request = { ...crafted, headers, target: crafted.target(target) }
        const seen = await exchange(`http://${address}:${port}`, request)
        const response = seen && textOf(seen)
        onExchange({ request: `${crafted.method} ${target} | ${encoding} | ${crafted.name}`, response })
        if (++sent === count) break
      }
  } finally {
    await fleet.close()
    other.close().closeAllConnections()
  }
}

/** What must be equal; compressed, random letters are of various lengths. */
function textOf({ status, headers, body, cache, connection, encoding, length }: SeenResponse): string {
  const own = [`x-portico-cache: ${cache}`, `connection: ${connection}`]
  if (encoding === undefined) own.push(`content-length: ${length}`)
  return [String(status), ...headers, ...own, '', body].join('\n')
}
