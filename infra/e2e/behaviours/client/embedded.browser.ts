// The journey of a user in Chromium, on the sample site and on an app folder outside the repository.

import { inject } from 'vitest'
import { ATLAS, FIXTURE } from '../../sites/sites.ts'
import { describeJourney } from './journey.ts'
import { describePostcardsInBrowser } from './journeys/postcards.ts'

const [atlas, fixture] = [inject('atlas'), inject('fixture')]

describeJourney('on one machine', { site: ATLAS, baseUrl: () => atlas.baseUrl })
describePostcardsInBrowser('on one machine', () => atlas.baseUrl)
describeJourney('outside the repository', { site: FIXTURE, baseUrl: () => fixture.baseUrl })
