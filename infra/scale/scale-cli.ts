// The calculator of docs/scale.md: `npx node infra/scale/scale-cli.ts --requests 20000`.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readClusterFigures } from './figures.ts'
import { DEFAULT_MIX, planCapacity, type Traffic } from './model.ts'
import { parseCosts, parseMix, parseNumber } from './options.ts'
import { limitsTable, planTable } from './tables.ts'

const HELP = `npx node infra/scale/scale-cli.ts [options]

Replicas, memory and load of the state Redis for a site, and which limit it reaches first. See docs/scale.md.

  --requests N      requests a second of all clients at the busiest time (default 100)
  --regions N       regions with gateways, renderers and images; actions and stores are in one (default 1)
  --cdn SHARE       share of the pages of all clients, files and images to which a CDN responds, 0 to 1 (default 0)
  --changes N       changes a second that revalidate pages (default: a tenth of the actions)
  --round-trip MS   between the region of the stores and the farthest one (default 0, or 100 with more regions)
  --mix LIST        shares of the requests, together 1: page=0.4,file=0.3,image=0.24,rendered=0.05,action=0.009,new-image=0.001
  --costs FILE      JSON with processor time that you measured, in milliseconds: {"rendered":{"gateway":0.9,"renderer":12}}`

try {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '100' },
      regions: { type: 'string', default: '1' },
      cdn: { type: 'string', default: '0' },
      changes: { type: 'string' },
      'round-trip': { type: 'string' },
      mix: { type: 'string' },
      costs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) console.log(HELP)
  else {
    const requestsPerSecond = parseNumber('requests', values.requests)
    const regions = parseNumber('regions', values.regions)
    const mix = values.mix === undefined ? DEFAULT_MIX : parseMix(values.mix)
    const traffic: Traffic = {
      requestsPerSecond,
      regions,
      cdnShare: parseNumber('cdn', values.cdn),
      mix,
      changesPerSecond: parseNumber('changes', values.changes ?? String((requestsPerSecond * mix.action) / 10)),
      roundTripMs: parseNumber('round-trip', values['round-trip'] ?? (regions > 1 ? '100' : '0')),
    }
    const figures = readClusterFigures()
    const costs = parseCosts(values.costs === undefined ? '{}' : readText(values.costs))
    const plan = planCapacity(traffic, figures, costs)
    console.log(`${planTable([plan])}\n${limitsTable(plan, figures)}`)
  }
} catch (error) {
  console.error(
    `${error instanceof Error ? error.message : error}\nnpx node infra/scale/scale-cli.ts --help has the options`,
  )
  process.exitCode = 1
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Error(`costs=${file} cannot be read: name a JSON file`, { cause })
  }
}
