import { once } from 'node:events'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { createServer } from 'node:tls'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { makeCertificate } from '@portico/shared/kit/testing/certificate.ts'
import { Registry } from '@prometheus-io/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readGatewayConfig } from '../config.ts'
import { readValidity } from '../testing.ts'
import { watchCertificates } from './certificates.ts'

const DAY_SECONDS = 86_400

test('O7 the validity of the certificate of a name is read by a handshake', async () => {
  const server = createServer(makeCertificate('example.test')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { notBefore, notAfter } = await readValidity({ host: '127.0.0.1', port, name: 'example.test' })
  expect(notAfter - notBefore).toBe(2 * DAY_SECONDS)
  expect(Math.abs(notAfter - DAY_SECONDS - Date.now() / 1000)).toBeLessThan(600)
  server.close()
  await once(server, 'close')
  await expect(readValidity({ host: '127.0.0.1', port, name: 'example.test' })).rejects.toThrow('ECONNREFUSED')
})

test('O7 a port without TLS has no certificate', async () => {
  const server = createPlainServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await expect(readValidity({ host: '127.0.0.1', port, name: 'example.test' })).rejects.toThrow()
  server.close()
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('O7 certificates are read once an hour, after a failure soon and then each minute, and a failure is logged once', async () => {
  const lines: string[] = []
  const log = createLog('gateway', 'warn', { write: (line: string) => void lines.push(line) })
  const registry = new Registry()
  const requested: string[] = []
  let isAway = true
  const read = async ({ name }: { name: string }) => {
    requested.push(name)
    if (isAway) throw new Error('refused')
    return { notBefore: 100, notAfter: 200 }
  }
  const watch = watchCertificates({ host: 'caddy', port: 443, names: ['a.test', 'b.test'], registry, log, read })
  // After 5, 10, 20, 40 and 60 s.
  for (const [seconds, times] of [
    [5, 2],
    [9, 2],
    [1, 3],
    [20, 4],
    [40, 5],
    [59, 5],
    [1, 6],
  ] as const) {
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    expect(requested).toEqual(Array(times).fill(['a.test', 'b.test']).flat())
  }
  expect(lines).toHaveLength(2)
  expect(await registry.metrics()).toContain('portico_certificate_read{name="a.test"} 0')
  isAway = false
  await vi.advanceTimersByTimeAsync(60_000)
  const text = await registry.metrics()
  for (const line of [
    'read{name="a.test"} 1',
    'not_before_seconds{name="b.test"} 100',
    'not_after_seconds{name="b.test"} 200',
  ])
    expect(text).toContain(`portico_certificate_${line}`)
  await vi.advanceTimersByTimeAsync(3_599_999)
  expect(requested).toHaveLength(14)
  await vi.advanceTimersByTimeAsync(1)
  expect(requested).toHaveLength(16)
  isAway = true
  await vi.advanceTimersByTimeAsync(3_600_000)
  await vi.advanceTimersByTimeAsync(5000)
  expect(requested).toHaveLength(20)
  watch.close()
  await vi.advanceTimersByTimeAsync(7_200_000)
  expect(requested).toHaveLength(20)
})

const PUBLIC_ORIGINS = 'https://example.org,https://www.example.org:8443,http://plain.example.org,https://[::1]'
test.each([
  ['caddy', { host: 'caddy', port: 443 }],
  ['caddy:8443', { host: 'caddy', port: 8443 }],
  ['[::1]:443', { host: '::1', port: 443 }],
])('O7 CERTIFICATE_CHECK=%s names the place, and PUBLIC_ORIGINS the names', (value, place) => {
  const { certificates } = readGatewayConfig({ CERTIFICATE_CHECK: value, PUBLIC_ORIGINS }, () => {})
  expect(certificates).toEqual({ ...place, names: ['example.org', 'www.example.org', '::1'] })
})

test.each([
  ['https://caddy', PUBLIC_ORIGINS],
  ['caddy/x', PUBLIC_ORIGINS],
  ['caddy:65536', PUBLIC_ORIGINS],
  ['caddy', ''],
  ['caddy', 'http://example.org'],
])('O7 CERTIFICATE_CHECK=%s with PUBLIC_ORIGINS=%s is refused', (value, origins) => {
  expect(() => readGatewayConfig({ CERTIFICATE_CHECK: value, PUBLIC_ORIGINS: origins }, () => {})).toThrow(
    `CERTIFICATE_CHECK=${JSON.stringify(value)}: must be`,
  )
})
