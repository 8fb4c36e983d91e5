// One service as its own process; its output is in the error when the service does not become ready.

import { type ChildProcess, spawn } from 'node:child_process'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { NODE_FLAGS } from '@portico/stack/node-flags.ts'
import { root } from '../../checks/sources.ts'
import { serviceProgram } from './framework.ts'

export interface ServiceProcess {
  child: ChildProcess
  /** The end of its output. */
  output: () => string
  /** Resolves when it reports that it is ready, within a minute; rejects with its output. */
  ready: () => Promise<void>
}

interface ServiceProcessOptions {
  service: keyof typeof NODE_FLAGS
  /** The address of its inner port, as in `http://127.0.0.1:9090`. */
  innerUrl: string
  /** Its whole environment except PATH; a gateway has one worker unless it says otherwise. */
  environment: Record<string, string>
  nodeOptions?: readonly string[]
}

/** Starts the service; the caller ends it. */
export function startServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { service, innerUrl, environment, nodeOptions = [] } = options
  const child = spawn(process.execPath, [...NODE_FLAGS[service], ...nodeOptions, serviceProgram(service)], {
    cwd: root,
    env: { ...bareEnvironment(), GATEWAY_WORKERS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
        const response = await fetch(`${innerUrl}/readyz`).catch(() => undefined)
        await response?.body?.cancel()
        if (response?.ok) return
        if (child.exitCode !== null || child.signalCode !== null) break
        await new Promise((done) => setTimeout(done, 100))
      }
      throw new Error(`${service} is not ready\n${output}`)
    },
  }
}
