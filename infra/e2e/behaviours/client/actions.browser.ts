// Forms and actions in Chromium, through the gateway's port of the fixture.

import { inject } from 'vitest'
import { describeActions } from './actions.ts'
import { describePlainActions } from './actions-plain.ts'
import { describeDraftMode } from './draft-mode.ts'
import { describeEarlyClicks } from './early-clicks.ts'
import { describeSignIn } from './sign-in.ts'

const { baseUrl } = inject('fixture')

describeActions('on one machine', () => baseUrl)
describePlainActions('on one machine', () => baseUrl)
describeEarlyClicks('on one machine', () => baseUrl)
describeSignIn('on one machine', () => baseUrl)
describeDraftMode('on one machine', () => baseUrl)
