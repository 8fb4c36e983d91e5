// All services as processes, with the replicas that a test wants, each at its own address: what a container
// network gives, without containers. Ports are equal among the replicas of a service, inner ports among all; addresses are 127.0.x.y.

import type { ChildProcess } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { ended } from '../../harness/processes.ts'
import { startServiceProcess } from '../../harness/service-process.ts'

export const SERVICES = ['renderer', 'images', 'actions', 'gateway'] as const
export type ServiceName = (typeof SERVICES)[number]

export interface Member {
  service: ServiceName
  address: string
  port: number
  innerPort: number
  child: ChildProcess
  /** The end of its output. */
  output: () => string
}

export interface Fleet {
  /** Starts a replica and resolves when it is ready. Its address is known by name from its start, as a container's is. */
  start(service: ServiceName, environment?: Record<string, string>): Promise<Member>
  /** SIGTERM; resolves with the exit code, after which the name no longer has the address. */
  stop(member: Member): Promise<number | null>
  /** SIGKILL. The name still has the address, as it has until a container network notices the end. */
  kill(member: Member): Promise<void>
  /** Removes the address of a member from its name. */
  forget(member: Member): Promise<void>
  members(service: ServiceName): Member[]
  /** Ends everything. */
  close(): Promise<void>
}

export interface FleetOptions {
  appDir: string
  dataDir: string
  environment?: Record<string, string>
}

/** Prepares a fleet without members. */
export async function createFleet({ appDir, dataDir, environment = {} }: FleetOptions): Promise<Fleet> {
  await mkdir(dataDir, { recursive: true })
  const namesFile = join(dataDir, 'names')
  const ports = new Map<ServiceName, { port: number; site: number }>()
  for (const service of SERVICES) ports.set(service, { port: await freePort(), site: await freePort() })
  const innerPort = await freePort()
  const portsOf = (service: ServiceName) => ports.get(service)!
  const members = new Set<Member>()
  const everyone: ChildProcess[] = []
  let started = 0

  /** In one step: a look-up that read half of the file would find no name. */
  const writeNames = () => {
    const lines = SERVICES.map((service) => [service, ...of(service).map(({ address }) => address)].join(' '))
    writeFileSync(`${namesFile}.new`, `${lines.join(' \n')} \n`)
    renameSync(`${namesFile}.new`, namesFile)
  }
  const of = (service: ServiceName) => [...members].filter((member) => member.service === service)

  const start = async (service: ServiceName, own: Record<string, string> = {}) => {
    const { port } = portsOf(service)
    const number = ++started
    const address = `127.0.${SERVICES.indexOf(service) + 1}.${number}`
    const addresses = SERVICES.filter((name) => name !== 'gateway').map((name) => [
      `${name.toUpperCase()}_URL`,
      `http://${name}:${portsOf(name).port}`,
    ])
    const ofMember = {
      NAMES_FILE: namesFile,
      HOST: address,
      PORT: String(port),
      INNER_PORT: String(innerPort),
      SITE_PORT: String(portsOf('gateway').site),
      SITE_URL: `http://gateway:${portsOf('gateway').site}`,
      ...Object.fromEntries(addresses),
      APP_DIR: appDir,
      DATA_DIR: dataDir,
      CACHE_DIR: join(dataDir, 'cache', `${service}-${number}`),
      LOG_LEVEL: 'warn',
      IMAGE_SLOTS: '1',
      STACK_TOKEN: 't'.repeat(40),
      ACTION_KEYS: 'k'.repeat(40),
      ...environment,
      ...own,
    }
    const { child, output, ready } = startServiceProcess({
      service,
      innerUrl: `http://${address}:${innerPort}`,
      environment: ofMember,
      nodeOptions: ['--import', join(import.meta.dirname, 'names.ts')],
    })
    everyone.push(child)
    const member: Member = { service, address, port, innerPort, child, output }
    members.add(member)
    writeNames()
    await ready().catch(async (error: unknown) => {
      child.kill('SIGKILL')
      await forget(member)
      throw error
    })
    return member
  }
  const forget = async (member: Member) => {
    members.delete(member)
    writeNames()
  }

  writeNames()
  return {
    start,
    async stop(member) {
      member.child.kill('SIGTERM')
      const { code } = await ended(member.child)
      await forget(member)
      return code
    },
    async kill(member) {
      member.child.kill('SIGKILL')
      await ended(member.child)
    },
    forget,
    members: of,
    async close() {
      for (const child of everyone) child.kill('SIGKILL')
      await Promise.all(everyone.map(ended))
    },
  }
}
