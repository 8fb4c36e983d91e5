// What the resolver and a replica report: addresses of a name, and readiness by `/readyz`.

import { lookup as lookupWithCallback } from 'node:dns'
import { get } from 'node:http'
import { HEADERS } from '../../wire/constants.ts'
import { plainHost } from '../addresses/plain-host.ts'

/**
 * `draining`: not ready because the process stops; it serves until it closes its port. `refused`: no process listens.
 * `failed`: no response in time, for example from a frozen or very busy process.
 */
export type ProbeResult = 'ready' | 'not-ready' | 'draining' | 'failed' | 'refused'

export interface Probe {
  result: ProbeResult
  /** The version that a replica of a build reports (C2). */
  version?: string
  /** Names the process that responded. */
  instance?: string
}

/** SECURITY: a process that is not one of this stack could send a probe more than memory. */
const MAX_BODY_CHARACTERS = 16 * 1024

const NOTHING_LISTENS: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
])

/**
 * All addresses of the host of a URL, from the system's resolver, which knows search domains and /etc/hosts. An IPv6
 * address may be in brackets.
 */
export function lookupAll(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookupWithCallback(plainHost(host), { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses.map(({ address }) => address))
    })
  })
}

/**
 * Requests `/readyz`: 200 is ready, any other response draining or not-ready, no response in time failed, no connection
 * refused. `relying`: the build of the caller, which has no other ready replica of this build: a replica of the build that
 * stops serves while it is requested so (O12).
 */
export function probeReady(address: string, port: number, timeoutMs: number, relying?: string): Promise<Probe> {
  return new Promise((resolve) => {
    // Each probe opens a connection: a frozen process keeps old connections open.
    const headers = relying === undefined ? {} : { [HEADERS.build]: relying }
    const request = get({ host: address, port, path: '/readyz', agent: false, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_BODY_CHARACTERS) request.destroy()
      })
      response.on('end', () => {
        const { waiting, ...report } = parseReport(body)
        const notReady = waiting === 'draining' ? 'draining' : 'not-ready'
        resolve({ result: response.statusCode === 200 ? 'ready' : notReady, ...report })
      })
    })
    const timer = setTimeout(() => request.destroy(), timeoutMs)
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve({ result: NOTHING_LISTENS.has(code) ? 'refused' : 'failed' }),
    )
    request.on('close', () => {
      clearTimeout(timer)
      resolve({ result: 'failed' })
    })
  })
}

/** The body of another service has another shape. `waiting`: the first reason why the service is not ready. */
function parseReport(body: string): { version?: string; instance?: string; waiting?: string } {
  try {
    const { version, instance, waiting } = JSON.parse(body) as Record<string, unknown>
    const first: unknown = Array.isArray(waiting) ? waiting[0] : undefined
    return {
      ...(typeof version === 'string' && { version }),
      ...(typeof instance === 'string' && { instance }),
      ...(typeof first === 'string' && { waiting: first }),
    }
  } catch {
    return {}
  }
}
