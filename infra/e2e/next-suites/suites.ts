// Every suite, in the order of the alphabet.

import { dynamicOptionalRouting } from './dynamic-optional-routing/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import { getServerSideProps } from './getserversideprops/suite.ts'
import { gsspRedirect } from './gssp-redirect/suite.ts'
import type { Suite } from './harness/suite.ts'

export const SUITES: readonly Suite[] = [dynamicOptionalRouting, dynamicRouting, getServerSideProps, gsspRedirect]
