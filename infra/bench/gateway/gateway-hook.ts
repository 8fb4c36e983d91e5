// Loaded into the process of a service before its modules (`--import`): on SIGUSR2 the process collects all garbage. So that
// their cost can be measured, nothing cuts what clients pipeline with BENCH_CUT=off, and with BENCH_TURNS=off a turn of the
// event loop begins all requests that have arrived, and accepts one connection.

import { registerHooks } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const REPLACED = {
  BENCH_CUT: { module: '/kit/life/pipelining.ts', source: 'export function limitPipelining() {}' },
  BENCH_TURNS: {
    module: '/kit/life/loop-turns.ts',
    source: "export const beginInTurns = (handler) => handler\nexport { listen as listenInTurns } from './listen.ts'",
  },
}

for (const [name, { module, source }] of Object.entries(REPLACED))
  if (process.env[name] === 'off')
    registerHooks({
      load: (url, context, next) =>
        url.endsWith(module) ? { format: 'module', shortCircuit: true, source } : next(url, context),
    })

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => collect())

/** What a service needs in its environment to load this file. */
export const HOOKED = { NODE_OPTIONS: `--import ${import.meta.filename}` }
