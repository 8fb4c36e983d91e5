// Behaviours of the suites of Next.js on Portico, in Chromium.

import { connectChromium } from '../harness/shared.ts'
import { runSuites } from './harness/run-suites.ts'
import { startPortico } from './harness/start-portico.ts'
import { SUITES } from './suites.ts'

runSuites({ suites: SUITES, on: 'portico', via: 'browser', start: startPortico, connect: () => connectChromium() })
