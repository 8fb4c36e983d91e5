// Two builds of a site with middleware, and the processes of a stack that a test replaces by the other build.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../harness/processes.ts'
import { buildApp } from '../../harness/replicas.ts'
import { writeSite } from '../../sites/make-site.ts'
import { guardedSite } from '../../sites/written/guarded.ts'
import { createFleet, type Fleet, type Member, type ServiceName } from '../replicas/fleet.ts'
import type { GuardedBuild } from './guarded-traffic.ts'

export interface GuardedStage {
  fleet: Fleet
  /** `one` is what the stack begins with. */
  one: GuardedBuild
  two: GuardedBuild
  /** Starts a replica of a build and resolves when it is ready. */
  start(service: ServiceName, build: GuardedBuild): Promise<Member>
  close(): Promise<void>
}

interface StageOptions {
  /** The build whose middleware guards `/secret`. */
  guarding: 'one' | 'two'
  environment?: Record<string, string>
}

/** Builds both; starts nothing. */
export async function setGuardedStage({ guarding, environment = {} }: StageOptions): Promise<GuardedStage> {
  const folder = await makeFolder('guarded-deploys')
  const dirOf = (name: string) => join(folder.path, name)
  const build = async (name: string): Promise<GuardedBuild> => {
    const isGuarding = name === guarding
    await writeSite(dirOf(name), guardedSite({ build: name, isGuarding }))
    await buildApp(dirOf(name))
    // The build wrote the file.
    const { buildId } = JSON.parse(await readFile(join(dirOf(name), 'dist/manifest.json'), 'utf8')) as {
      buildId: string
    }
    return { name, id: buildId, isGuarding }
  }
  const one = await build('one')
  const two = await build('two')
  const fleet = await createFleet({ appDir: dirOf('one'), dataDir: dirOf('data'), environment })
  return {
    fleet,
    one,
    two,
    start: (service, { name }) => fleet.start(service, { APP_DIR: dirOf(name) }),
    async close() {
      await fleet.close()
      await folder.remove()
    },
  }
}

export function urlOf({ address, port }: Member): string {
  return `http://${address}:${port}`
}
