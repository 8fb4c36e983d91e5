// The same behaviours on real Next.js: each expression is what Next.js does, not what Portico does.

import { runBuilds } from '../harness/run-builds.ts'
import { runSuites } from '../harness/run-suites.ts'
import { buildNext, startNext } from '../harness/start-next.ts'
import { CHOSEN_SUITES, chromium, MAIN, OTHERS } from './chosen.ts'

runSuites({ suites: CHOSEN_SUITES, on: 'next', configurations: [...MAIN, ...OTHERS], start: startNext, ...chromium })
runBuilds({ suites: CHOSEN_SUITES, on: 'next', build: buildNext })
