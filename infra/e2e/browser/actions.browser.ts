// Forms and actions in Chromium, through the gateway's port of the stack of one machine.

import { afterAll, beforeAll } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../embedded-stack.ts'
import { createMembers } from '../members.ts'
import { copyApp, makeFolder } from '../processes.ts'
import { FIXTURE } from '../sites.ts'
import { describeActions } from './actions.ts'
import { describePlainActions } from './actions-plain.ts'
import { describeSignIn, MEMBER } from './sign-in.ts'

let stack: EmbeddedStack | undefined
let folder: Awaited<ReturnType<typeof makeFolder>> | undefined

beforeAll(async () => {
  folder = await makeFolder('site')
  await copyApp(FIXTURE.appDir, folder.path)
  stack = await startEmbedded({ appDir: folder.path, env: { MEMBERS: createMembers(MEMBER) } })
}, 300_000)

afterAll(async () => {
  await stack?.stop()
  await folder?.remove()
})

describeActions('on one machine', () => stack?.baseUrl ?? '')
describePlainActions('on one machine', () => stack?.baseUrl ?? '')
describeSignIn('on one machine', () => stack?.baseUrl ?? '')
