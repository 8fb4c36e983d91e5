// Two stacks of one build: the page cache of one gateway is on, that of the other is off. And a mark that makes every page
// of both cold.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileMarks, openFileMarks } from '@portico/shared/kit/testing/file-marks.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import { createFleet, type Fleet, type FleetOptions, type Member } from '../../faults/replicas/fleet.ts'
import { makeFolder } from '../../harness/processes.ts'
import { buildApp } from '../../harness/replicas.ts'
import { type SiteFiles, writeSite } from '../../sites/make-site.ts'

/** fleet.ts gives it to all services. */
const TOKEN = 't'.repeat(40)

type Facts = Pick<Manifest, 'buildId' | 'basePath' | 'trailingSlash'>

export interface Stack extends Facts {
  /** Without basePath. */
  baseUrl: string
  /** Makes every page of its caches cold. */
  forgetAll(): Promise<void>
  /** One more gateway in front of its renderer; what is returned has the address of that gateway. */
  addGateway(environment: Record<string, string>): Promise<Stack>
}

export interface Stacks {
  cached: Stack
  plain: Stack
  close(): Promise<void>
}

interface StacksOptions {
  cacheMb?: number
  /** The environment of all services. */
  environment?: Record<string, string>
}

/** Builds the site and starts both stacks; resolves when all services are ready. */
export async function startStacks(files: SiteFiles, options: StacksOptions = {}): Promise<Stacks> {
  const { cacheMb = 16, environment = {} } = options
  const folder = await makeFolder('cached-pages')
  const appDir = join(folder.path, 'site')
  await writeSite(appDir, files)
  await buildApp(appDir)
  // The build has written it.
  const facts = JSON.parse(await readFile(join(appDir, 'dist/manifest.json'), 'utf8')) as Facts
  const names = ['cached', 'plain'] as const
  const opened = await Promise.all(
    names.map((name) => openFleet({ appDir, dataDir: join(folder.path, name), environment })),
  )
  const close = async () => {
    for (const { marks } of opened) marks.close()
    await Promise.all(opened.map(({ fleet }) => fleet.close()))
    await folder.remove()
  }
  try {
    const [cached, plain] = await Promise.all(
      names.map((name, at) => startStack(facts, opened[at]!, name === 'cached' ? cacheMb : 0)),
    )
    return { cached: cached!, plain: plain!, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface OpenedFleet {
  fleet: Fleet
  marks: FileMarks
}

async function openFleet(options: Required<FleetOptions>): Promise<OpenedFleet> {
  return { fleet: await createFleet(options), marks: openFileMarks(options.dataDir) }
}

async function startStack(facts: Facts, { fleet, marks }: OpenedFleet, megabytes: number): Promise<Stack> {
  const [, actions] = await Promise.all([fleet.start('renderer'), fleet.start('actions')])
  // Nothing requests an image.
  const images = { IMAGES_URL: urlOf(actions) }
  const forgetAll = async () => {
    const message = JSON.stringify(await marks.raise({ everything: true }))
    const keepers = [...fleet.members('renderer'), ...fleet.members('gateway')]
    await Promise.all(keepers.map((member) => push(member, message)))
  }
  const addGateway = async (environment: Record<string, string>): Promise<Stack> => {
    const gateway = await fleet.start('gateway', { ...images, ...environment })
    return { ...facts, baseUrl: urlOf(gateway), forgetAll, addGateway }
  }
  return addGateway({ GATEWAY_CACHE_MB: String(megabytes) })
}

const urlOf = ({ address, ...ports }: Member, port: 'port' | 'innerPort' = 'port') => `http://${address}:${ports[port]}`

async function push(member: Member, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await fetch(urlOf(member, 'innerPort') + INVALIDATION_PATH, { method: 'POST', headers, body })
  await response.body?.cancel()
  // A gateway without a cache has no such route.
  if (response.status !== 200 && !(response.status === 404 && member.service === 'gateway'))
    throw new Error(`${member.service} responded to a mark with ${response.status}`)
}
