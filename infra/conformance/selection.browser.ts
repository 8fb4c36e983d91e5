// The selection of behaviours that `npm test` runs on Portico; `npm run conformance` runs all.

import { connectChromium } from '../e2e/harness/shared.ts'
import { runSuites } from './harness/run-suites.ts'
import { startPortico } from './harness/start-portico.ts'
import { SELECTION } from './selection.ts'
import { SUITES } from './suites.ts'

const ids: ReadonlySet<string> = new Set(SELECTION)
const suites = SUITES.map((suite) => ({ ...suite, behaviours: suite.behaviours.filter(({ id }) => ids.has(id)) }))

runSuites({ suites, on: 'portico', start: startPortico, connect: () => connectChromium() })
