// One service as a process of its own, with what it wrote at hand when it does not come up.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { NODE_FLAGS } from '@portico/stack/node-flags.ts'
import { root } from '../../checks/sources.ts'

export interface ServiceProcess {
  child: ChildProcess
  /** The end of what it wrote. */
  output: () => string
  /** Resolves when it says that it is ready, within a minute; rejects with its output. */
  ready: () => Promise<void>
}

export interface ServiceProcessOptions {
  service: keyof typeof NODE_FLAGS
  /** Where its inner port is asked, as in `http://127.0.0.1:9090`. */
  innerUrl: string
  /** All that it gets besides the PATH. */
  environment: Record<string, string>
  nodeOptions?: readonly string[]
}

/** Starts it. Whoever starts it ends it. */
export function startServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { service, innerUrl, environment, nodeOptions = [] } = options
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS[service], ...nodeOptions, join(root, `services/${service}/main.ts`)],
    {
      cwd: root,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000)
    })
  return {
    child,
    output: () => output,
    async ready() {
      for (let attempt = 0; attempt < 600; attempt++) {
        const answer = await fetch(`${innerUrl}/readyz`).catch(() => undefined)
        await answer?.body?.cancel()
        if (answer?.ok) return
        if (child.exitCode !== null || child.signalCode !== null) break
        await new Promise((done) => setTimeout(done, 100))
      }
      throw new Error(`${service} is not ready\n${output}`)
    },
  }
}
