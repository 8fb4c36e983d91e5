// The journey of a user in Chromium, on the sample site and, by `npm run test:long`, on an app folder outside the repository.

import { forms } from '@portico/shared/kit/testing/runs.ts'
import { inject } from 'vitest'
import { ATLAS, FIXTURE } from '../../sites/sites.ts'
import { describeJourney } from './journey.ts'
import { describePostcardsInBrowser } from './journeys/postcards.ts'

const [atlas, fixture] = [inject('atlas'), inject('fixture')]

for (const [name, site, { baseUrl }] of forms(
  ['on one machine', ATLAS, atlas] as const,
  ['outside the repository', FIXTURE, fixture] as const,
))
  describeJourney(name, { site, baseUrl: () => baseUrl })
describePostcardsInBrowser('on one machine', () => atlas.baseUrl)
