// The actions service of the site under test: the code of the service around one action or API handler. It runs each
// submission and keeps nothing.

import { type ActionsAppDeps, createActionsApp } from '@portico/actions/app.ts'
import { systemClock } from '@portico/actions/clock.ts'
import { createUploads } from '@portico/actions/request/body/uploads.ts'
import { loadSite } from '@portico/actions/site.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import { createBoundArgs } from '@portico/shared/kit/store/bound-args.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { ACTION_OPTIONS, type ActionsBundle } from '@portico/shared/wire/bundles.ts'
import type { Change } from '@portico/shared/wire/invalidation.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'

export interface ActionsServiceDeps {
  manifest: Manifest
  publicEnv: PublicValues
  dataDir: string
  key: string
  after: AfterTasks
  log: Log
  /** What the server-side fetch reaches. */
  fetchUrl: () => string
  cookieSeals: CookieSeals
}

/** Other handlers and actions of the site may need more than the test has: the bundle has only what is called. */
export async function createActionsService(
  { manifest, publicEnv, dataDir, key, after, log, fetchUrl, cookieSeals }: ActionsServiceDeps,
  bundle: ActionsBundle,
  onChange: (change: Change) => void = () => {},
) {
  const uploads = createUploads(`${dataDir}/uploads`)
  await uploads.prepare(Date.now())
  const site = await loadSite({ ...manifest, actions: await actionsOf(bundle) }, bundle, publicEnv)
  const deps: ActionsAppDeps = {
    site: () => site,
    boundArgs: createBoundArgs(createFixedKeyring([key])),
    uploads,
    after,
    log,
    clock: systemClock,
    clientKeys: createFixedKeyring([key]),
    cookieSeals,
    publicOrigins: [],
    beginRequest: () => () => {},
    draining: new AbortController().signal,
    actionsUrl: fetchUrl,
    siteUrl: fetchUrl,
    metrics: { observe: () => {} },
    submitOnce: async (_submission, run) => ({ kind: 'ran', result: (await run()).result }),
    invalidation: {
      async publish(change) {
        onChange(change)
        return { generation: 0 }
      },
      close: () => {},
    },
    renderer: {
      avoid: () => {},
      freshData: async () => undefined,
      page: async () => undefined,
      postedPage: async () => undefined,
    },
  }
  return createActionsApp(deps)
}

/** The manifest's entries for these actions; in a build they are read from the sources. */
function actionsOf({ actions }: ActionsBundle): Promise<Manifest['actions']> {
  const entries = Object.entries(actions).map(async ([id, { name, load }]) => {
    const repeat = (await load())[ACTION_OPTIONS]?.repeat
    return { id, name, file: '', ...(repeat && { repeat }) }
  })
  return Promise.all(entries)
}
