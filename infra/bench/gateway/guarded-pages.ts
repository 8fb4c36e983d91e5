// What middleware costs a gateway: pages that a matcher fits, pages that none fits, and a site without middleware, from the
// memory of the gateway and through the hop, in turns of one run. The verdict is that of a substitute, so what the author's
// code costs the renderer is not in it.

import type { ChildProcess } from 'node:child_process'
import { parseArgs } from 'node:util'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { withProcesses } from '../processes.ts'
import { startGatewayProcess, writeEmptyApp } from './gateway-process.ts'
import { startPageRenderer } from './page-renderer.ts'
import { PAGES } from './pages.ts'
import { measureInTurns, type Target, TURN_OPTIONS, turnsOf } from './rates.ts'

const HELP = `node infra/bench/gateway/guarded-pages.ts [--rounds 5] [--seconds 3]

Requests a second and processor time of a request of gateway processes, 16 connections, medians of the rounds.

Exit code 1 if a page that no matcher fits is slower than 0.95 of the same page of a site without middleware. Needs wrk;
about 25 s a round.`

/** The wanted part of the rate without middleware, for a page that no matcher fits. */
const WANTED_SHARE = 0.95

const SITES: Readonly<Record<string, Pick<Manifest, 'middleware'>>> = {
  without: {},
  unmatched: { middleware: { matchers: [{ source: '/other/:path*' }, { source: '/((?!kept|made).*)' }] } },
  matched: { middleware: { matchers: [{ source: '/((?!api).*)' }] } },
}
const PATHS = ['/kept', '/made']

const { values: given } = parseArgs({ options: TURN_OPTIONS })
if (given.help) console.log(HELP)
else await withProcesses('guarded-pages', async (...place) => report(await startTargets(...place)))

async function startTargets(folder: string, children: ChildProcess[]): Promise<Target[]> {
  const every = await startPageRenderer(children)
  const targets: Target[] = []
  for (const [site, changes] of Object.entries(SITES)) {
    const appDir = `${folder}/${site}`
    await writeEmptyApp(appDir, { pages: PAGES, ...changes })
    const environment = { STACK_TOKEN: 't'.repeat(40) }
    const gateway = await startGatewayProcess({ appDir, every, environment })
    children.push(gateway.child)
    for (const path of PATHS) targets.push({ name: `${path} ${site}`, url: gateway.url + path, process: gateway.child })
  }
  return targets
}

function report(targets: Target[]): void {
  const middle = measureInTurns(targets, turnsOf(given))
  console.log(`${given.rounds} rounds              requests/s  of without   CPU us/request`)
  for (const { name } of targets) {
    const [path = ''] = name.split(' ')
    const share = middle(name, 'rate') / middle(`${path} without`, 'rate')
    const rate = Math.round(middle(name, 'rate')).toString().padStart(11)
    console.log(
      `${name.padEnd(21)} ${rate} ${share.toFixed(2).padStart(11)} ${middle(name, 'cpu').toFixed(1).padStart(16)}`,
    )
    if (!name.endsWith('unmatched') || share >= WANTED_SHARE) continue
    console.log(`${name}: ${share.toFixed(2)} of the site without middleware, wanted ${WANTED_SHARE}`)
    process.exitCode = 1
  }
}
