// Sends purges to inner ports, for the command.

import { postInner } from '../control/post-inner.ts'

/** What the inner ports made of one purge; `where` has the processes, as in "1 gateway, 2 of 3 renderers". */
export type PurgeResult = { generation: number; where: string } | { fault: string }

interface PurgeSender {
  innerUrl: URL
  token: string
}

/** Sends a purge of pages and data to a gateway, which notifies the others. Never rejects. */
export async function purgePages(sender: PurgeSender, body: object): Promise<PurgeResult> {
  const result = await send(sender, body)
  return 'fault' in result ? result : { generation: result.generation, where: listProcesses(result.processes ?? {}) }
}

/** Sends a purge of images to every address: the first fault, else the latest generation. Never rejects. */
export async function purgeImages(
  { innerUrls, token }: { innerUrls: readonly URL[]; token: string },
  body: object,
): Promise<PurgeResult> {
  const results = await Promise.all(innerUrls.map((innerUrl) => send({ innerUrl, token }, body)))
  let generation = 0
  // Over Redis each address reports all replicas, without Redis only itself.
  let replicas = results.length
  for (const result of results) {
    if ('fault' in result) return result
    generation = Math.max(generation, result.generation)
    replicas = Math.max(replicas, result.replicas ?? 0)
  }
  return { generation, where: countOf(replicas, 'images replica') }
}

/** The form of every 200 of both inner ports. */
interface Purged {
  generation: number
  /** Of a gateway. */
  processes?: Record<string, { confirmed: number; failed: number }>
  /** Of an images replica. */
  replicas?: number
}

async function send({ innerUrl, token }: PurgeSender, body: object): Promise<Purged | { fault: string }> {
  const result = await postInner({ innerUrl, token }, '/internal/purge', body)
  if ('fault' in result) return { fault: `${innerUrl.host}: ${result.fault}` }
  if (result.status === 200 && result.json !== undefined) return result.json as Purged
  return { fault: `${innerUrl.host}: ${result.status} ${result.text}` }
}

const PROCESS_NAMES: Readonly<Record<string, string>> = { actions: 'actions replica' }

function listProcesses(processes: NonNullable<Purged['processes']>): string {
  const parts = Object.entries(processes).map(([service, { confirmed, failed }]) => {
    const count = countOf(confirmed + failed, PROCESS_NAMES[service] ?? service)
    return failed === 0 ? count : `${confirmed} of ${count}`
  })
  return parts.join(', ')
}

function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
