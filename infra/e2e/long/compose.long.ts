// The sample site in containers, with three replicas for images: another app folder is in
// infra/e2e/behaviours/containers/compose.containers.ts, with what is the same for all folders.

import { afterAll, beforeAll, describe } from 'vitest'
import { describeSite } from '../behaviours/http/suite.ts'
import { type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { ATLAS } from '../sites/sites.ts'

describe('docker compose with the sample site', () => {
  let stack: ComposeStack
  beforeAll(async () => {
    stack = await startCompose({ up: ['--scale', 'images=3'] })
  })
  afterAll(() => stack?.down())

  describeSite('in containers, with three replicas for images', { site: ATLAS, baseUrl: () => stack.baseUrl })
})
