// Every suite, in the order of the alphabet.

import { apiSupport } from './api-support/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import type { Suite } from './harness/suite.ts'

export const SUITES: readonly Suite[] = [apiSupport, dynamicRouting]
