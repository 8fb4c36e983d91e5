// Each fault of the only replica of a service, as processes: what a client receives, and after how long (E7, O5).
// The first requests are sent before the gateway knows of the fault, the later ones when it does.

import { readFile } from 'node:fs/promises'
import { TIME_BUDGETS } from '@portico/shared/wire/time-budgets.ts'
import { afterAll, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { type RawResponse, send } from '../harness/http.ts'
import { makeSite } from '../sites/make-site.ts'

const SITE = {
  'package.json': '{"name":"one-replica","private":true,"type":"module"}',
  'pages/kept.tsx': 'export default function Kept() { return <p>kept</p> }\n',
  'pages/rendered.tsx': `export async function getServerSideProps() { return { props: {} } }
export default function Rendered() { return <p>rendered</p> }
`,
  'pages/from-api.tsx': `import { fetch } from 'portico/server'
export async function getServerSideProps() { return { props: await (await fetch('/api/word')).json() } }
export default function FromApi({ word }: { word: string }) { return <p>{word}</p> }
`,
  'pages/caught.tsx': `import { fetch } from 'portico/server'
export async function getServerSideProps() {
  const word = await fetch('/api/word', { timeoutMs: 2000 }).then(async (response) => (await response.json()).word, () => 'none')
  return { props: { word } }
}
export default function Caught({ word }: { word: string }) { return <p>{word}</p> }
`,
  'pages/api/word.ts': `import type { ApiRequest, ApiResponse } from 'portico'
export const config = { crossOrigin: true }
export default function handler(_request: ApiRequest, response: ApiResponse): void { response.json({ word: 'hello' }) }
`,
}
const KEPT = '/kept'
const IMAGE = '/_portico/image?url=%2Fphoto.png&w=640&q=75'
const TARGETS = [KEPT, '/rendered', '/from-api', '/caught', '/api/word', 'POST /api/word', IMAGE]
/** As promised, from the request on. */
const REFUSED_MS = 7000
const PAGE_MS = TIME_BUDGETS['data-function'].limitMs

const site = await makeSite(SITE)
afterAll(() => site.remove())

const FAULTS = ['freeze', 'kill', 'refuse'] as const
const PHOTO = new URL('../sites/fixture/public/pictures/sample.png', import.meta.url)

const SERVICES: Record<string, readonly string[]> = {
  renderer: ['/rendered', '/from-api', '/caught'],
  images: [IMAGE],
  actions: ['/from-api', '/api/word', 'POST /api/word'],
}

test.each(Object.keys(SERVICES).flatMap((service) => FAULTS.map((fault) => [fault, service] as const)))(
  'E7 O5 after %s of the only %s a request for it is served or 503 in time, and what needs no replica is served',
  async (fault, service) => {
    await site.write('public/photo.png', await readFile(PHOTO))
    const stack = await startEmbedded({ appDir: site.dir })
    try {
      for (const target of TARGETS) expect([target, (await request(stack, target)).status]).toEqual([target, 200])
      const cure = happen(stack, fault, service)
      const first = await measure(stack)
      const later = await measure(stack)
      cure()
      const rows = [
        ...first.map((row) => ({ when: 'first', ...row })),
        ...later.map((row) => ({ when: 'later', ...row })),
      ]
      for (const { when, target, status, retryAfter, ms } of rows)
        console.log(
          [fault, service, when, target, status, retryAfter ?? '-', `${(ms / 1000).toFixed(1)} s`].join(' | '),
        )
      for (const { when, target, status, retryAfter, ms } of rows) {
        const isOfFault = SERVICES[service]!.includes(target)
        // A process that was killed takes along what it had received; it is started again within the wait.
        const allowed = !isOfFault ? [200] : fault === 'kill' ? [200, 502, 503] : [503]
        expect([when, target, allowed]).toEqual([when, target, expect.arrayContaining([status])])
        if (status === 503) expect(retryAfter).toBeDefined()
        const isBehindApi = service === 'actions' && (target === '/from-api' || target === '/caught')
        expect(ms, target).toBeLessThan(isBehindApi ? PAGE_MS : REFUSED_MS)
      }
      await expect.poll(async () => (await request(stack, '/from-api')).status, { timeout: 60_000 }).toBe(200)
    } finally {
      await stack.stop()
    }
  },
)

function request(stack: EmbeddedStack, target: string): Promise<RawResponse> {
  const [path = '', method = 'GET'] = target.split(' ').reverse()
  return send(stack.baseUrl, path, { method })
}

function measure(stack: EmbeddedStack) {
  return Promise.all(
    TARGETS.map(async (target) => {
      const started = performance.now()
      const { status, headers } = await request(stack, target)
      return { target, status, retryAfter: headers['retry-after'], ms: performance.now() - started }
    }),
  )
}

/** `refuse`: no process listens, and none is started. Returns what ends the fault. */
function happen(stack: EmbeddedStack, fault: (typeof FAULTS)[number], service: string): () => void {
  const id = stack.serviceId(service)
  if (id === undefined) throw new Error(`no process of ${service}`)
  if (fault === 'freeze') {
    process.kill(id, 'SIGSTOP')
    return () => void process.kill(id, 'SIGCONT')
  }
  if (fault === 'refuse') process.kill(stack.stackId(), 'SIGSTOP')
  process.kill(id, 'SIGKILL')
  return () => void (fault === 'refuse' && process.kill(stack.stackId(), 'SIGCONT'))
}
