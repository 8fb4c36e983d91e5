// The behaviours of the other configurations and of builds on Portico.

import { runBuilds } from '../harness/run-builds.ts'
import { runSuites } from '../harness/run-suites.ts'
import { buildPortico, startPortico } from '../harness/start-portico.ts'
import { CHOSEN_SUITES, chromium, OTHERS } from './chosen.ts'

runSuites({ suites: CHOSEN_SUITES, on: 'portico', configurations: OTHERS, start: startPortico, ...chromium })
runBuilds({ suites: CHOSEN_SUITES, on: 'portico', build: buildPortico })
