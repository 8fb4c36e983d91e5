// Which requests a stack under development accepts (V3): those of its own origin, and none that another site started.

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { plainHost } from '../addresses/plain-host.ts'

interface DevGate {
  /** The rule that a request breaks; undefined for an allowed request. */
  refuses(headers: IncomingHttpHeaders): string | undefined
  /** As `refuses`, for development files and sockets, which only pages of the site may use. */
  refusesForeign(headers: IncomingHttpHeaders, isSocket?: boolean): string | undefined
}

/** `publicOrigins` are trusted in addition to this machine's own names and addresses. */
export function createDevGate(publicOrigins: readonly string[]): DevGate {
  const hosts = new Set(publicOrigins.map((origin) => new URL(origin).hostname))
  const refuses = (headers: IncomingHttpHeaders): string | undefined => {
    const name = hostName(headers.host)
    if (name !== undefined && (isOwnName(name) || hosts.has(name))) return undefined
    // SECURITY: a foreign name that resolves to this machine makes a foreign page "same origin" (DNS rebinding).
    return `the host ${JSON.stringify(headers.host ?? '')} is unknown; add its origin to PUBLIC_ORIGINS`
  }
  return {
    refuses,
    refusesForeign(headers, isSocket = false) {
      const { origin, host } = headers
      const site = headers['sec-fetch-site']
      // SECURITY: sockets have no same-origin rule (cross-site WebSocket hijacking), and a script element of another
      // site would run our modules in its page.
      if (isSocket && origin === undefined) return 'a socket must have an Origin'
      if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host))
        return 'the Origin must equal the Host'
      if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'the request comes from another site'
      return refuses(headers)
    },
  }
}

function hostName(host: string | undefined): string | undefined {
  if (host === undefined || !/^[A-Za-z0-9.:[\]_-]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined
  return new URL(`http://${host}`).hostname
}

/** Names that no foreign server can resolve to this machine, and addresses that the machine has. */
function isOwnName(name: string): boolean {
  const plain = plainHost(name)
  return isIP(plain) === 0 ? name === 'localhost' || name.endsWith('.localhost') : isOwnAddress(plain)
}

function isOwnAddress(address: string): boolean {
  if (address.startsWith('127.') || address === '::1') return true
  // Read each time: a machine changes its network while the server runs.
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === address))
}
