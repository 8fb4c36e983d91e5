// Two stacks of one build: the page cache of one gateway is on, that of the other is off. And a mark that makes every page
// of both cold.

import { join } from 'node:path'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import { createFleet, type Fleet, type Member } from '../../faults/replicas/fleet.ts'
import { makeFolder } from '../../harness/processes.ts'
import { buildApp } from '../../harness/replicas.ts'
import { type SiteFiles, writeSite } from '../../sites/make-site.ts'

const TOKEN = 't'.repeat(40)

export interface Stack extends Pick<Manifest, 'buildId' | 'basePath' | 'trailingSlash'> {
  /** Without basePath. */
  baseUrl: string
  /** Makes every page of its caches cold. */
  forgetAll(): Promise<void>
  /** One more gateway with a page cache in front of its renderer; resolves with its address. */
  addGateway(environment: Record<string, string>): Promise<Stack>
}

export interface Stacks {
  cached: Stack
  plain: Stack
  close(): Promise<void>
}

/** Builds the site and starts both stacks; resolves when all services are ready. */
export async function startStacks(files: SiteFiles, cacheMb = 16): Promise<Stacks> {
  const folder = await makeFolder('cached-pages')
  const appDir = join(folder.path, 'site')
  await writeSite(appDir, files)
  await buildApp(appDir)
  const opened: { close(): Promise<void> }[] = []
  const open = async (name: string, megabytes: number) => {
    const stack = await openStack({ appDir, dataDir: join(folder.path, name), megabytes })
    opened.push(stack)
    return stack
  }
  const close = async () => {
    await Promise.all(opened.map((stack) => stack.close()))
    await folder.remove()
  }
  try {
    const [cached, plain] = await Promise.all([open('cached', cacheMb), open('plain', 0)])
    return { cached, plain, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openStack({ appDir, dataDir, megabytes }: { appDir: string; dataDir: string; megabytes: number }) {
  const { buildId, basePath, trailingSlash } = (await loadAppBuild(appDir)).manifest
  const fleet = await createFleet({ appDir, dataDir })
  const store = createSqliteGenerations({ dataDir, now: Date.now })
  const close = async () => {
    store.close()
    await fleet.close()
  }
  try {
    const [, actions] = await Promise.all([fleet.start('renderer'), fleet.start('actions')])
    // Nothing requests an image.
    const images = { IMAGES_URL: urlOf(actions), IMAGES_INNER_URL: urlOf(actions, 'innerPort') }
    const forgetAll = async () => {
      const change = { paths: [], tags: [], everything: true }
      const message = JSON.stringify(messageOf(change, await store.raise(change)))
      await Promise.all(keepersOf(fleet).map((member) => push(member, message)))
    }
    const addGateway = async (environment: Record<string, string>): Promise<Stack> => {
      const gateway = await fleet.start('gateway', { ...images, ...environment })
      return { baseUrl: urlOf(gateway), buildId, basePath, trailingSlash, forgetAll, addGateway }
    }
    return { ...(await addGateway({ GATEWAY_CACHE_MB: String(megabytes) })), close }
  } catch (error) {
    await close()
    throw error
  }
}

const urlOf = ({ address, ...ports }: Member, port: 'port' | 'innerPort' = 'port') => `http://${address}:${ports[port]}`

const keepersOf = (fleet: Fleet) => [...fleet.members('renderer'), ...fleet.members('gateway')]

/** A gateway without a cache has no such route. */
async function push(member: Member, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await fetch(urlOf(member, 'innerPort') + INVALIDATION_PATH, { method: 'POST', headers, body })
  await response.body?.cancel()
  if (response.status !== 200 && !(response.status === 404 && member.service === 'gateway'))
    throw new Error(`${member.service} responded to a mark with ${response.status}`)
}
