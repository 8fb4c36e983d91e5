// The visitor's journey against the stack of one machine, on the sample site and on an app folder outside the repository.

import { afterAll, beforeAll } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../embedded-stack.ts'
import { copyApp, makeFolder } from '../processes.ts'
import { ATLAS, FIXTURE } from '../sites.ts'
import { describeJourney } from './journey.ts'
import { describePostcardsInBrowser } from './postcards.ts'

let atlas: EmbeddedStack | undefined
let fixture: EmbeddedStack | undefined
let folder: Awaited<ReturnType<typeof makeFolder>> | undefined

beforeAll(async () => {
  atlas = await startEmbedded({ appDir: ATLAS.appDir })
  folder = await makeFolder('site')
  await copyApp(FIXTURE.appDir, folder.path)
  fixture = await startEmbedded({ appDir: folder.path })
}, 900_000)

afterAll(async () => {
  await Promise.all([atlas?.stop(), fixture?.stop()])
  await folder?.remove()
})

describeJourney('on one machine', { site: ATLAS, baseUrl: () => atlas?.baseUrl ?? '' })
describePostcardsInBrowser('on one machine', () => atlas?.baseUrl ?? '')
describeJourney('outside the repository', { site: FIXTURE, baseUrl: () => fixture?.baseUrl ?? '' })
