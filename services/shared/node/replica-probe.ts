// What the system and a replica say of themselves: addresses by name, and readiness by `/readyz`.

import { lookup as lookupWithCallback } from 'node:dns'
import { get } from 'node:http'

/** `refused`: nothing listens there. `failed`: no response in time, as from a frozen or very busy process. */
export type ProbeResult = 'ready' | 'not-ready' | 'failed' | 'refused'

const NOTHING_LISTENS: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
])

/** All addresses of a host by the system's resolver, which knows search domains and /etc/hosts. */
export function lookupAll(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookupWithCallback(host, { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses.map(({ address }) => address))
    })
  })
}

/** Asks `/readyz`: 200 is ready, another answer is not ready, no answer in time has failed, no connection is refused. */
export function probeReady(address: string, port: number, timeoutMs: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    // A connection of its own: a frozen process keeps old ones open.
    const request = get({ host: address, port, path: '/readyz', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200 ? 'ready' : 'not-ready')
    })
    const timer = setTimeout(() => request.destroy(), timeoutMs)
    request.on('error', ({ code }: NodeJS.ErrnoException) => resolve(NOTHING_LISTENS.has(code) ? 'refused' : 'failed'))
    request.on('close', () => {
      clearTimeout(timer)
      resolve('failed')
    })
  })
}
