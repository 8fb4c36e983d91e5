// All services as processes, as many replicas of each as a test wants, each at an address of its own: what a container
// network gives, without containers. Ports are equal among the replicas of a service, addresses are 127.0.x.y.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../services/shared/node/testing/free-port.ts'
import { root } from '../../checks/sources.ts'
import { ended } from '../processes.ts'

export const SERVICES = ['renderer', 'images', 'actions', 'gateway'] as const
export type ServiceName = (typeof SERVICES)[number]

export interface Member {
  service: ServiceName
  address: string
  port: number
  innerPort: number
  child: ChildProcess
  /** The end of what it wrote. */
  output: () => string
}

export interface Fleet {
  /** Starts a replica and resolves when it is ready. Its address is known by name from its start, as a container's is. */
  start(service: ServiceName, environment?: Record<string, string>): Promise<Member>
  /** SIGTERM; resolves with the exit code, after which the name no longer leads there. */
  stop(member: Member): Promise<number | null>
  /** SIGKILL. The name still leads there, as it does until a container network hears of the end. */
  kill(member: Member): Promise<void>
  /** Takes the address of a member out of the names. */
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
  const ports = new Map<ServiceName, { port: number; innerPort: number; site: number }>()
  for (const service of SERVICES)
    ports.set(service, { port: await freePort(), innerPort: await freePort(), site: await freePort() })
  const portsOf = (service: ServiceName) => ports.get(service)!
  const members = new Set<Member>()
  const everyone: ChildProcess[] = []
  let started = 0

  const writeNames = () => {
    const lines = SERVICES.map((service) => [service, ...of(service).map(({ address }) => address)].join(' '))
    return writeFile(namesFile, `${lines.join(' \n')} \n`)
  }
  const of = (service: ServiceName) => [...members].filter((member) => member.service === service)

  const start = async (service: ServiceName, own: Record<string, string> = {}) => {
    const { port, innerPort } = portsOf(service)
    const number = ++started
    const address = `127.0.${SERVICES.indexOf(service) + 1}.${number}`
    const addresses = SERVICES.flatMap((name): [string, string][] => [
      [`${name.toUpperCase()}_URL`, `http://${name}:${portsOf(name).port}`],
      [`${name.toUpperCase()}_INNER_URL`, `http://${name}:${portsOf(name).innerPort}`],
    ]).filter(([name]) => !name.startsWith('GATEWAY'))
    const env = {
      PATH: process.env.PATH,
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
    const main = join(root, `services/${service}/main.ts`)
    const child = spawn(process.execPath, ['--import', join(import.meta.dirname, 'names.ts'), main], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    everyone.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-20_000)
      })
    const member: Member = { service, address, port, innerPort, child, output: () => output }
    members.add(member)
    await writeNames()
    await ready(member).catch(async (error: unknown) => {
      child.kill('SIGKILL')
      await forget(member)
      throw error
    })
    return member
  }
  const forget = async (member: Member) => {
    members.delete(member)
    await writeNames()
  }

  await writeNames()
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

/** Waits until the member says that it is ready. */
async function ready({ service, address, innerPort, child, output }: Member): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { ok } = await fetch(`http://${address}:${innerPort}/readyz`).catch(() => ({ ok: false }))
    if (ok) return
    if (child.exitCode !== null || child.signalCode !== null) break
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`${service} is not ready\n${output()}`)
}
