// The stack of infra/swarm on three nodes.

import { send } from '../../harness/http.ts'
import { PORT } from './clients.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { host, NODES, type Node, type Nodes, nameOf, poll, removeNodes, startNodes } from './nodes.ts'
import { buildImages, RECORDING, REDIS_IMAGE, type SiteImages, type WriteBuild } from './site.ts'

const STACK = 'portico'

export interface Cluster extends Services {
  nodes: Nodes
  images: SiteImages
  ledger: Ledger
  close(): Promise<void>
}

interface Services {
  /** Runs `docker service COMMAND … portico_NAME`; resolves when the service has converged. */
  service(command: string, name: string, ...options: string[]): Promise<string>
  /** The node of each running replica of a service. */
  placesOf(name: string): Promise<Node[]>
  /** The lines of a service's containers that run, on all nodes; every node must live. */
  linesOf(name: string): Promise<string>
  /** Replicas that a gateway has seen ready, by its log; every node must live. */
  readyReplicas(upstream: string): Promise<Set<string>>
  /** Resolves when each service has all its replicas on living nodes, and every living gateway serves pages. */
  untilWhole(dead?: Node): Promise<void>
}

interface ReplicaChange {
  upstream: string
  replica: string
}

interface ClusterOptions {
  /** Compose files beside infra/swarm/stack.yml. */
  files: readonly string[]
  /** Labels of nodes. */
  labels: readonly (readonly [Node, string])[]
  builds?: readonly [WriteBuild, WriteBuild]
  /** Pages that every gateway of a whole cluster serves. */
  pages?: readonly string[]
}

/** Builds the images, starts the nodes and deploys; on failure nothing remains. */
export async function startCluster({
  files,
  labels,
  builds = RECORDING,
  pages = ['/', '/headers'],
}: ClusterOptions): Promise<Cluster> {
  const undo: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of undo.splice(0).reverse()) await each()
  }
  try {
    const images = await buildImages('portico-swarm', builds)
    undo.push(images.remove)
    const bridge = await host('docker', 'network', 'inspect', 'bridge', '-f', '{{(index .IPAM.Config 0).Gateway}}')
    const ledger = await openLedger(bridge.trim())
    undo.push(ledger.close)
    undo.push(removeNodes)
    const nodes = await startNodes(['infra/swarm', 'infra/e2e/long/swarm/ledger.yml'])
    await nodes.load([...images.all, REDIS_IMAGE])
    for (const [node, label] of labels) await nodes.docker('node', 'update', '--label-add', label, nameOf(node))
    await nodes.shell(1, 'sh infra/swarm/secrets.sh')
    const given = ['infra/swarm/stack.yml', ...files].map((file) => `--compose-file ${file}`).join(' ')
    const deploy = `docker stack deploy --detach=true --resolve-image never ${given} ${STACK}`
    await nodes.shell(1, deploy, { TAG: images.tags[0], PORT: String(PORT), LEDGER_URL: ledger.url })
    const cluster = { nodes, images, ledger, ...servicesOf(nodes, pages), close }
    await cluster.untilWhole()
    return cluster
  } catch (error) {
    await close()
    throw error
  }
}

function servicesOf(nodes: Nodes, paths: readonly string[]): Services {
  const isWhole = async (dead: Node | undefined) => {
    // The counts of `docker service ls` have the replicas of a dead node for ever.
    if (dead !== undefined && (await nodes.statusOf(dead)) !== 'Down') return false
    const filter = ['--filter', 'desired-state=running', '--format', '{{.Name}} {{.Node}} {{.CurrentState}}']
    const tasks = (await nodes.docker('stack', 'ps', ...filter, STACK)).trim().split('\n')
    // A service whose name ends in the number of a node runs there only.
    const wanted = tasks.filter((task) => !task.includes(`-${dead}.1 `))
    const isRunning = (task: string) => {
      const [, node, state] = task.split(' ')
      return state === 'Running' && (dead === undefined || node !== nameOf(dead))
    }
    if (!wanted.every(isRunning)) return false
    const living = NODES.filter((node) => node !== dead).map((node) => nodes.addresses[node - 1])
    const pages = living.flatMap((address) => paths.map((path) => send(`http://${address}:${PORT}`, path)))
    return (await Promise.all(pages)).every(({ status }) => status === 200)
  }
  // Not `docker service logs`, which never ends when a replica was replaced.
  const linesOf = async (name: string) => {
    const ids = `$(docker ps --quiet --filter name=${STACK}_${name})`
    const each = NODES.map((node) => nodes.shell(node, `for id in ${ids}; do docker logs $id 2>&1; done`))
    return (await Promise.all(each)).join('')
  }
  return {
    linesOf,
    service: (command, name, ...options) =>
      nodes.docker('service', command, '--detach=false', '--quiet', ...options, `${STACK}_${name}`),
    async placesOf(name) {
      const filter = ['--filter', 'desired-state=running', '--format', '{{.Node}} {{.CurrentState}}']
      const lines = await nodes.docker('service', 'ps', ...filter, `${STACK}_${name}`)
      const places = [...lines.matchAll(/^swarm-(\d) Running /gm)].map(([, node]) => Number(node))
      return NODES.flatMap((node) => places.filter((each) => each === node).map(() => node))
    },
    async readyReplicas(upstream) {
      const lines = (await linesOf('gateway')).split('\n')
      const changes = lines.filter((line) => line.includes('"event":"replica"') && line.includes('"state":"ready"'))
      const replicas = changes.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as ReplicaChange)
      return new Set(replicas.filter((change) => change.upstream === upstream).map(({ replica }) => replica))
    },
    untilWhole: (dead) => poll('a whole cluster', () => isWhole(dead)),
  }
}
