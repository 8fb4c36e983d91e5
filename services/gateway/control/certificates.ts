// Reads the certificates of the site where TLS ends in front of the gateway (O7): proxies renew them, and few report
// when they end.

import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { backOff } from '@portico/shared/kit/life/restart/back-off.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { Gauge, type Registry } from '@prometheus-io/client'

const CHECK_MS = 3_600_000
/** After a failure: the proxy often starts some seconds after the gateway. */
const RETRIES = { firstMs: 5000, longestMs: 60_000 }
const TIMEOUT_MS = 5000

interface CertificateCheck {
  host: string
  port: number
  /** Hosts of the public origins; a proxy chooses the certificate by the name. */
  names: readonly string[]
}

/** In seconds since the epoch. */
interface Validity {
  notBefore: number
  notAfter: number
}

interface CertificateDeps extends CertificateCheck {
  registry: Registry
  log: Log
  read?: (check: { host: string; port: number; name: string }) => Promise<Validity>
}

/** Begins to read, and registers the metrics. The returned function stops. */
export function watchCertificates(deps: CertificateDeps): { close(): void } {
  const { names, host, port, log, read = readValidity } = deps
  const gauges = createGauges(deps.registry)
  const failing = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let isClosed = false

  async function checkOne(name: string): Promise<boolean> {
    try {
      gauges.found(name, await read({ host, port, name }))
      failing.delete(name)
      return true
    } catch (error) {
      gauges.failed(name)
      // One line per loss.
      if (!failing.has(name)) log.warn({ event: 'certificate-unread', name, host, port, error }, 'certificate not read')
      failing.add(name)
      return false
    }
  }
  async function check(): Promise<void> {
    const results: boolean[] = []
    for (const name of names) results.push(await checkOne(name))
    const isRead = results.every(Boolean)
    failures = isRead ? 0 : failures + 1
    if (!isClosed) timer = setTimeout(() => void check(), isRead ? CHECK_MS : backOff(RETRIES, failures)).unref()
  }
  void check()
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['name'], registers: [registry] })
  const read = gauge('portico_certificate_read', '1 if the last attempt to read the certificate of a name succeeded.')
  const notBefore = gauge('portico_certificate_not_before_seconds', 'Begin of validity, in seconds since the epoch.')
  const notAfter = gauge('portico_certificate_not_after_seconds', 'End of validity, in seconds since the epoch.')
  return {
    found(name: string, validity: Validity) {
      read.set({ name }, 1)
      notBefore.set({ name }, validity.notBefore)
      notAfter.set({ name }, validity.notAfter)
    },
    // The last known validity remains: a certificate also ends while its proxy is unavailable.
    failed: (name: string) => read.set({ name }, 0),
  }
}

/** Reads a certificate by a TLS handshake, and sends nothing. */
export function readValidity({ host, port, name }: { host: string; port: number; name: string }): Promise<Validity> {
  const { promise, resolve, reject } = Promise.withResolvers<Validity>()
  // Also a certificate that is not valid, or signed by the proxy itself, has an end. No data is sent or believed.
  const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(name) === 0 && { servername: name }) })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no certificate within ${TIMEOUT_MS} ms`)))
  socket.once('secureConnect', () => {
    const { valid_from, valid_to } = socket.getPeerCertificate()
    const validity = { notBefore: Date.parse(valid_from) / 1000, notAfter: Date.parse(valid_to) / 1000 }
    if (Number.isFinite(validity.notAfter)) resolve(validity)
    else reject(new Error('the handshake had no certificate'))
    socket.destroy()
  })
  socket.on('error', reject)
  socket.once('close', () => reject(new Error('the connection was closed before the handshake')))
  return promise
}
