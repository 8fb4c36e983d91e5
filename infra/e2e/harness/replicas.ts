// Services started one by one, as many of each as a test wants, over one built app folder and one state Redis.

import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { buildOnce } from '@portico/shared/kit/testing/built-once.ts'
import { root } from '../../checks/sources.ts'
import { program } from './framework.ts'
import { ended, run } from './processes.ts'
import { startServiceProcess } from './service-process.ts'

export interface Replica {
  url: string
  innerUrl: string
  child: ChildProcess
}

export interface Replicas {
  start: (service: 'actions' | 'renderer', environment?: Record<string, string>) => Promise<Replica>
  /** Ends all running services. */
  stop: () => Promise<void>
}

/** Builds the app folder, unless this run of the tests has built an equal one. Throws with the build's output. */
export function buildApp(appDir: string): Promise<void> {
  return buildOnce(appDir, async (dir) => {
    const env = { ...bareEnvironment(), APP_DIR: dir }
    const { code, output } = await run(process.execPath, [program('web/build/cli')], { cwd: root, env })
    if (code !== 0) throw new Error(`the build ended with code ${code}\n${output.slice(-6000)}`)
  })
}

/** Ids of a built app folder's actions by the names in the source: the manifest lists both. */
export async function loadActionIds(appDir: string): Promise<Map<string, string>> {
  const { actions } = JSON.parse(await readFile(join(appDir, 'dist/manifest.json'), 'utf8')) as {
    actions: { id: string; name: string }[]
  }
  return new Map(actions.map(({ id, name }) => [name.split('#').at(-1) ?? name, id]))
}

/** `common` is the environment of all replicas. */
export function createReplicas(common: Record<string, string>): Replicas {
  const children: ChildProcess[] = []
  return {
    async start(service, environment = {}) {
      const [port, innerPort] = [await freePort(), await freePort()]
      const innerUrl = `http://127.0.0.1:${innerPort}`
      const { child, ready } = startServiceProcess({
        service,
        innerUrl,
        environment: {
          HOST: '127.0.0.1',
          PORT: String(port),
          INNER_PORT: String(innerPort),
          ...common,
          ...environment,
        },
      })
      children.push(child)
      await ready()
      return { url: `http://127.0.0.1:${port}`, innerUrl, child }
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map(ended))
    },
  }
}
