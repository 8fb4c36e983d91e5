// Every suite, in the order of the alphabet.

import { apiSupport } from './api-support/suite.ts'
import { clientNavigation } from './client-navigation/suite.ts'
import { clientNavigationRendering } from './client-navigation-rendering/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import type { Suite } from './harness/suite.ts'

export const SUITES: readonly Suite[] = [apiSupport, clientNavigation, clientNavigationRendering, dynamicRouting]
