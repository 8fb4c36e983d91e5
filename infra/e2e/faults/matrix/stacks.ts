// The two stacks of the fault table: processes as `npm start` runs them, and containers as `docker compose` runs them.

import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { root } from '../../../checks/sources.ts'
import { type ComposeStack, dockerEnvironment, startCompose } from '../../harness/compose-stack.ts'
import { startEmbedded } from '../../harness/embedded-stack.ts'
import { processOf } from '../../harness/framework.ts'
import { childrenOf, run } from '../../harness/processes.ts'

export type Mode = 'processes' | 'containers'

/**
 * `kill`: the process ends without notice and is started again. `restart`: it is stopped and started. `recreate`: its
 * container is replaced by a new one. `freeze`: it does nothing for 5 s. `remove`: one replica is stopped and stays away.
 */
const FAULTS = ['kill', 'restart', 'recreate', 'freeze', 'remove'] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultyStack {
  readonly port: number
  /** The services that can fail, with the number of their replicas. */
  readonly replicas: Readonly<Record<string, number>>
  readonly faults: readonly Fault[]
  /** Lets a fault happen to the first replica of a service; resolves when the commands have ended. */
  happen(fault: Fault, service: string): Promise<void>
  close(): Promise<void>
}

const FROZEN_MS = 5000
const SCALED = ['renderer', 'images', 'actions']

/** Starts a stack with so many replicas of each service that can have several. */
export function startStack(mode: Mode, appDir: string, count: number): Promise<FaultyStack> {
  return mode === 'processes' ? startProcesses(appDir, count) : startContainers(appDir, count)
}

async function startProcesses(appDir: string, count: number): Promise<FaultyStack> {
  const args = SCALED.flatMap((service) => (count > 1 ? ['--scale', `${service}=${count}`] : []))
  // Several processes of actions share their submissions in Redis.
  const redis = count > 1 ? await startRedis() : undefined
  const env: Record<string, string> = redis ? { STATE_REDIS_URL: redis.url.href } : {}
  const stack = await startEmbedded({ appDir, args, env })
  const signal = (service: string, name: NodeJS.Signals) => {
    const [id] = childrenOf(stack.stackId(), processOf(service)).sort((left, right) => left - right)
    if (id === undefined) throw new Error(`no process of ${service}`)
    process.kill(id, name)
    return id
  }
  return {
    port: Number(new URL(stack.baseUrl).port),
    replicas: { gateway: 1, ...Object.fromEntries(SCALED.map((service) => [service, count])) },
    faults: ['kill', 'restart', 'freeze'],
    async happen(fault, service) {
      if (fault === 'kill') signal(service, 'SIGKILL')
      if (fault === 'restart') signal(service, 'SIGTERM')
      if (fault !== 'freeze') return
      const id = signal(service, 'SIGSTOP')
      await sleep(FROZEN_MS)
      process.kill(id, 'SIGCONT')
    },
    async close() {
      await stack.stop()
      await redis?.stop()
    },
  }
}

async function startContainers(appDir: string, count: number): Promise<FaultyStack> {
  const scaled = Object.fromEntries(SCALED.map((service) => [service, count]))
  const stack = await startCompose({ appDir, up: scaleOptions(scaled) })
  return {
    port: Number(new URL(stack.baseUrl).port),
    // One of each store, whatever the services have: with the single replicas.
    replicas: { gateway: 1, ...scaled, ...(count === 1 && { 'redis-state': 1, 'redis-cache': 1 }) },
    faults: count > 1 ? ['kill', 'recreate', 'freeze', 'remove'] : ['kill', 'restart', 'recreate', 'freeze'],
    happen: (fault, service) => happenInCompose(stack, { fault, service, scaled }),
    close: stack.down,
  }
}

interface ComposeFault {
  fault: Fault
  service: string
  scaled: Readonly<Record<string, number>>
}

async function happenInCompose(stack: ComposeStack, { fault, service, scaled }: ComposeFault): Promise<void> {
  const { compose, inspect, containers } = stack
  const [first = ''] = await containers(service)
  const count = scaled[service]
  // Only of this service: with --no-deps the command knows no other one.
  const up = (replicas: number | undefined, option: string) => {
    const scale = replicas === undefined ? {} : { [service]: replicas }
    return compose('up', '-d', '--no-deps', '--no-build', option, ...scaleOptions(scale), service)
  }
  switch (fault) {
    case 'kill':
      // Not `docker kill`, after which no restart policy applies.
      return void process.kill(Number(await inspect(first, '{{.State.Pid}}')), 'SIGKILL')
    case 'restart':
      return void (await compose('restart', service))
    case 'recreate':
      return void (await up(count, '--force-recreate'))
    case 'remove':
      await up((count ?? 1) - 1, '--no-recreate')
      await sleep(FROZEN_MS)
      return void (await up(count, '--no-recreate'))
    case 'freeze':
      await runDocker('pause', first)
      await sleep(FROZEN_MS)
      return runDocker('unpause', first)
  }
}

async function runDocker(...args: string[]): Promise<void> {
  const { code, output } = await run('docker', args, { cwd: root, env: dockerEnvironment() })
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with code ${code}\n${output}`)
}

function scaleOptions(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([service, count]) => ['--scale', `${service}=${count}`])
}
