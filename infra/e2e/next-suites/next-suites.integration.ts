// Behaviours of the suites of Next.js on Portico, over HTTP.

import { runSuites } from './harness/run-suites.ts'
import { startPortico } from './harness/start-portico.ts'
import { SUITES } from './suites.ts'

runSuites({ suites: SUITES, on: 'portico', via: 'http', start: startPortico })
