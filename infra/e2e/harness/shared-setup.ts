// Starts once, for all files of the browser project: the sample site and the fixture as `npm start` runs them, and two
// Chromium. A file that restarts a stack, or needs its own settings, starts another stack and says why.

import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import buildSites from '../sites/build-sites.ts'
import { createMembers } from '../sites/members.ts'
import { ATLAS, FIXTURE } from '../sites/sites.ts'
import { serveChromium } from './chromium.ts'
import { type EmbeddedStack, startEmbedded } from './embedded-stack.ts'
import { copyApp, makeFolder } from './processes.ts'
import { MEMBER } from './shared.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    atlas: SharedStack
    fixture: SharedStack
    /** Where tests connect to Chromium; `keepsPages` shows a page again as it was left. */
    chromium: { plain: string; keepsPages: string }
  }
}

export interface SharedStack {
  baseUrl: string
  /** Process id of the stack, the parent of the services. */
  stackId: number
}

export default async function startShared(project: TestProject): Promise<() => Promise<void>> {
  await buildSites()
  // The fixture runs outside the repository, as the sites of authors do.
  const folder = await makeFolder('site')
  await copyApp(FIXTURE.appDir, folder.path)
  const started: (EmbeddedStack | BrowserServer)[] = []
  const stop = async () => {
    await Promise.all(started.map((each) => ('stop' in each ? each.stop() : each.close())))
    await folder.remove()
  }
  const keep = async <T extends EmbeddedStack | BrowserServer>(starting: Promise<T>) => {
    const one = await starting
    started.push(one)
    return one
  }
  try {
    const [atlas, fixture, plain, keepsPages] = await Promise.all([
      keep(startEmbedded({ appDir: ATLAS.appDir })),
      keep(startEmbedded({ appDir: folder.path, env: { MEMBERS: createMembers(MEMBER) } })),
      keep(serveChromium()),
      keep(serveChromium({ keepsPages: true })),
    ])
    project.provide('atlas', { baseUrl: atlas.baseUrl, stackId: atlas.stackId() })
    project.provide('fixture', { baseUrl: fixture.baseUrl, stackId: fixture.stackId() })
    project.provide('chromium', { plain: plain.wsEndpoint(), keepsPages: keepsPages.wsEndpoint() })
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
