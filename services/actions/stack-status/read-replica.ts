// Asks one replica of a service for its figures and whether it is ready, on its inner port.

import { lookupAll, probeReady } from '../../shared/node/replica-probe.ts'
import { parseSamples, type Sample } from './prometheus-text.ts'

/** A replica that takes longer is left out this time. */
const TIMEOUT_MS = 1000
/** SECURITY: the stack's own answer, yet a broken replica must not fill this process's memory. */
const LIMIT_CHARACTERS = 4_000_000

export interface ReplicaReading {
  /** Tells replicas apart; stays in this process. */
  id: string
  isReady: boolean
  /** Empty when it did not answer in time. */
  samples: Sample[]
}

/** Reads every replica that the host of `innerUrl` resolves to; none when it does not resolve. */
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
    // A replica that is starting, leaving or frozen: it is counted as not ready, and that is all there is to say.
    return []
  }
}
