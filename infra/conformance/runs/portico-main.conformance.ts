// The behaviours of the configuration `main` on Portico.

import { runSuites } from '../harness/run-suites.ts'
import { startPortico } from '../harness/start-portico.ts'
import { CHOSEN_SUITES, chromium, MAIN } from './chosen.ts'

runSuites({ suites: CHOSEN_SUITES, on: 'portico', configurations: MAIN, start: startPortico, ...chromium })
