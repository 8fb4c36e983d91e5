// The same behaviours on real Next.js 16: each expression is what Next.js does, not what Portico does.

import { describe } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { runBuilds } from './harness/run-builds.ts'
import { runSuites } from './harness/run-suites.ts'
import { buildNext, startNext } from './harness/start-next.ts'
import { SUITES } from './suites.ts'

describe('over HTTP', () => runSuites({ suites: SUITES, on: 'next', via: 'http', start: startNext }))
describe('in Chromium', () =>
  runSuites({ suites: SUITES, on: 'next', via: 'browser', start: startNext, connect: () => launchChromium() }))
runBuilds({ suites: SUITES, on: 'next', build: buildNext })
