// A Swarm of three real engines on this machine, made by a script next to the project: nodes are killed and started.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../../checks/sources.ts'
import { dockerEnvironment } from '../../harness/compose-stack.ts'
import { run } from '../../harness/processes.ts'

/** Relative to the repository, as the other scripts of the machine (.ci/run). */
const SCRIPT = '../shared/machine/swarm-up.sh'
const script = join(root, SCRIPT)
/** Numbers of the nodes; all of them are managers. */
export const NODES = [1, 2, 3] as const
export type Node = (typeof NODES)[number]
/** The folder of the stack files in each node, whose root file system survives a kill. */
const FOLDER = '/root'
/** A manager responds again after the election of a leader. */
const COMMAND_LIMIT_MS = 60_000

export interface Nodes {
  /** The address at which each node publishes ports. */
  addresses: readonly string[]
  /** Runs `docker … args` at a living manager; again while the managers elect a leader. */
  docker(...args: string[]): Promise<string>
  /** Runs a shell command in a node's folder of the stack files, with the paths of the repository. */
  shell(node: Node, command: string, settings?: Readonly<Record<string, string>>): Promise<string>
  kill(node: Node): Promise<void>
  /** Starts the engine of a killed node; resolves when the managers see the node. */
  start(node: Node): Promise<void>
  leader(): Promise<Node>
  /** `Ready` or `Down`, as the managers see the node. */
  statusOf(node: Node): Promise<string>
  /** Whether every node is there, and is a manager that the others reach. */
  areManagers(): Promise<boolean>
  load(images: readonly string[]): Promise<void>
}

/** What this machine lacks for a Swarm of several nodes; empty if nothing is missing. */
export function missingForNodes(): string {
  return existsSync(script) ? '' : `no ${SCRIPT} beside the project`
}

/** Removes all nodes with their data, also those of a start that failed. */
export async function removeNodes(): Promise<void> {
  await host('bash', script, 'down')
}

/** `files` are copied into every node. */
export async function startNodes(files: readonly string[]): Promise<Nodes> {
  const dead = new Set<Node>()
  await host('bash', script, 'up', String(NODES.length))
  const template = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'
  const inspected = await host('docker', 'inspect', '-f', template, ...NODES.map(nameOf))
  const inNode = (node: Node, ...args: string[]) => host('docker', 'exec', nameOf(node), ...args)

  const docker = async (...args: string[]) => {
    const limit = performance.now() + COMMAND_LIMIT_MS
    for (;;) {
      const manager = NODES.find((node) => !dead.has(node)) ?? 1
      try {
        return await inNode(manager, 'docker', ...args)
      } catch (error) {
        const isElecting = /does not have a leader|no elected|deadline exceeded|Unavailable/i.test(String(error))
        if (!isElecting || performance.now() > limit) throw error
        await sleep(250)
      }
    }
  }
  const listed = async () => {
    const lines = await docker('node', 'ls', '--format', '{{.Hostname}} {{.Status}} {{.ManagerStatus}}')
    const rows = lines
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    return rows.map(([name, status = '', manager]) => ({
      node: NODES.find((each) => nameOf(each) === name),
      status,
      manager,
    }))
  }
  const areManagers = async () =>
    (await listed()).every(({ status, manager }) => status === 'Ready' && /^(Leader|Reachable)$/.test(manager ?? ''))
  for (const node of NODES) await pipe(['tar', '-c', ...files], node, ['tar', '-x', '-C', FOLDER])

  return {
    addresses: inspected.trim().split('\n'),
    docker,
    shell: (node, command, settings = {}) => {
      const options = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
      return host('docker', 'exec', '--workdir', FOLDER, ...options, nameOf(node), 'sh', '-euc', command)
    },
    async kill(node) {
      dead.add(node)
      await host('bash', script, 'kill', String(node))
    },
    async start(node) {
      await host('bash', script, 'start', String(node))
      dead.delete(node)
      await poll(`${nameOf(node)} among the managers`, areManagers)
    },
    async leader() {
      const found = (await listed()).find(({ manager }) => manager === 'Leader')?.node
      if (!found) throw new Error('the managers have no leader')
      return found
    },
    statusOf: async (node) => (await listed()).find((each) => each.node === node)?.status ?? '',
    areManagers,
    load: async (images) => void (await host('bash', script, 'load', ...images)),
  }
}

/** The name of a node, its host name too. */
export const nameOf = (node: Node): string => `swarm-${node}`

/** Waits until the condition is true; an error counts as false, and the last one is the cause of the failure. */
export async function poll(what: string, isThere: () => Promise<boolean>, seconds = 180): Promise<void> {
  const limit = performance.now() + seconds * 1000
  let last: unknown
  while (performance.now() < limit) {
    try {
      if (await isThere()) return
    } catch (error) {
      last = error
    }
    await sleep(250)
  }
  throw new Error(`${what}: not within ${seconds} s`, { cause: last })
}

/** Runs a program on this machine; throws with its output when it fails. */
export async function host(command: string, ...args: string[]): Promise<string> {
  const { code, output } = await run(command, args, { cwd: root, env: dockerEnvironment() })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}\n${output.slice(-4000)}`)
  return output
}

/** Sends the output of a program on this machine to a program in a node. */
function pipe([command = '', ...args]: string[], node: Node, inNode: string[]): Promise<void> {
  const options = { cwd: root, env: dockerEnvironment() }
  const from = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const to = spawn('docker', ['exec', '-i', nameOf(node), ...inNode], {
    ...options,
    stdio: [from.stdout, 'inherit', 'inherit'],
  })
  return new Promise((done, fail) => {
    for (const child of [from, to]) child.on('error', fail)
    to.on('close', (code) => (code === 0 ? done() : fail(new Error(`${inNode.join(' ')} ended with code ${code}`))))
  })
}
