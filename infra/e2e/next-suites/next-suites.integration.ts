// Behaviours of the suites of Next.js on Portico, over HTTP and of builds.

import { runBuilds } from './harness/run-builds.ts'
import { runSuites } from './harness/run-suites.ts'
import { buildPortico, startPortico } from './harness/start-portico.ts'
import { SUITES } from './suites.ts'

runSuites({ suites: SUITES, on: 'portico', via: 'http', start: startPortico })
runBuilds({ suites: SUITES, on: 'portico', build: buildPortico })
