// Loaded into the process of a gateway before its modules (`--import`): on SIGUSR2 the process collects all garbage, and with
// BENCH_CUT=off nothing cuts what clients pipeline, so that the cost of the cut can be measured.

import { registerHooks } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

if (process.env.BENCH_CUT === 'off')
  registerHooks({
    load: (url, context, next) =>
      url.endsWith('/kit/life/pipelining.ts')
        ? { format: 'module', shortCircuit: true, source: 'export function limitPipelining() {}' }
        : next(url, context),
  })

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => collect())

/** What a gateway needs in its environment to load this file. */
export const HOOKED = { NODE_OPTIONS: `--import ${import.meta.filename}` }
