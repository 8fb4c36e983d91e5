// The end-to-end suite against the stack of one machine: the sample site, and an app folder outside the repository.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { createMembers } from '../../sites/members.ts'
import { ATLAS, FIXTURE } from '../../sites/sites.ts'
import { describePostcards } from './postcards.ts'
import { describePurge } from './purge.ts'
import { describeRecipes, MEMBERS } from './recipes.ts'
import { describeSessions, SESSION_MEMBERS } from './sessions.ts'
import { describeSite } from './suite.ts'
import { describeWhy } from './why.ts'

let atlas: EmbeddedStack | undefined
let fixture: EmbeddedStack | undefined
let folder: TemporaryFolder | undefined
/** Lines of both until they were ready. */
let atStart: EmbeddedStack['lines']

beforeAll(async () => {
  atlas = await startEmbedded({ appDir: ATLAS.appDir })
  folder = await makeFolder('site')
  await copyApp(FIXTURE.appDir, folder.path)
  const env = { MEMBERS: createMembers(...MEMBERS, ...SESSION_MEMBERS), TRUSTED_PROXIES: '127.0.0.1' }
  fixture = await startEmbedded({ appDir: folder.path, env })
  atStart = [...atlas.lines, ...fixture.lines]
}, 900_000)

afterAll(async () => {
  await Promise.all([atlas?.stop(), fixture?.stop()])
  await folder?.remove()
})

test('O1 a clean start warns of nothing', () => {
  expect(atStart.filter(({ event }) => event === 'ready').length).toBeGreaterThan(1)
  expect(atStart.filter(({ level }) => ['warn', 'error', 'fatal'].includes(String(level)))).toEqual([])
})

describeSite('on one machine', { site: ATLAS, baseUrl: () => atlas?.baseUrl ?? '' })
describePostcards('on one machine', () => atlas?.baseUrl ?? '')
describeSite('outside the repository', { site: FIXTURE, baseUrl: () => fixture?.baseUrl ?? '' })
describeRecipes('outside the repository', () => fixture?.baseUrl ?? '')
describeSessions('outside the repository', () => ({
  baseUrl: fixture?.baseUrl ?? '',
  // Without ACTION_KEYS the stack has made its key itself.
  actionKey: readFileSync(join(fixture?.dataDir ?? '', 'action-key.secret'), 'utf8'),
}))
describePurge('with files in DATA_DIR', () => fixture)
describeWhy('with files in DATA_DIR', () => fixture)
