// Reads the figures and the readiness of one replica of a service from its inner port.

import { lookupAll, probeReady } from '../../shared/node/replica-probe.ts'
import { parseSamples, type Sample } from './prometheus-text.ts'

/** A replica that takes longer is not part of this reading. */
const TIMEOUT_MS = 1000
/** SECURITY: a broken replica must not fill the memory of this process, although the replica belongs to the stack. */
const LIMIT_CHARACTERS = 4_000_000

export interface ReplicaReading {
  /** Distinguishes replicas; never leaves this process. */
  id: string
  isReady: boolean
  /** Empty when the replica did not respond in time. */
  samples: Sample[]
}

/** Reads every replica to which the host of `innerUrl` resolves; none when the host does not resolve. */
export async function readReplicas(
  innerUrl: URL,
  wants: (name: string) => boolean,
  lookup: (host: string) => Promise<string[]> = lookupAll,
): Promise<ReplicaReading[]> {
  const host = innerUrl.hostname.replace(/^\[|\]$/g, '')
  const late = new Promise<string[]>((done) => setTimeout(() => done([]), TIMEOUT_MS).unref())
  const addresses = await Promise.race([lookup(host).catch(() => []), late])
  return Promise.all([...new Set(addresses)].map((address) => readReplica(address, Number(innerUrl.port) || 80, wants)))
}

async function readReplica(address: string, port: number, wants: (name: string) => boolean): Promise<ReplicaReading> {
  const id = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const [probed, samples] = await Promise.all([probeReady(address, port, TIMEOUT_MS), readSamples(id, wants)])
  return { id, isReady: probed === 'ready', samples }
}

async function readSamples(host: string, wants: (name: string) => boolean): Promise<Sample[]> {
  try {
    const response = await fetch(`http://${host}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (!response.ok || text.length > LIMIT_CHARACTERS) return []
    }
    return parseSamples(text, wants)
  } catch {
    // The replica is starting, stopping or frozen: readReplica reports it as not ready.
    return []
  }
}
