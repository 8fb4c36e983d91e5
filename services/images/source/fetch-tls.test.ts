// Sources behind TLS: certificates are verified as in a browser, and the checked address is the address of the
// connection.

import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createGuardedLookup } from '@portico/shared/kit/addresses/address-guard.ts'
import { makeCertificate } from '@portico/shared/kit/testing/certificate.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imageSettings } from '../testing/image-settings.ts'
import { type Origin, startOrigin } from '../testing/origin.ts'
import { createSourcePatterns } from './allowed-sources.ts'
import { createSourceFetcher, type SourceFetcher } from './source.ts'

const authorities = getCACertificates('default')
const certificate = makeCertificate('img.test')

let secure: Origin
let plain: Origin
let fetcher: SourceFetcher

beforeAll(async () => {
  setDefaultCACertificates([...authorities, certificate.cert])
  secure = await startOrigin({ '/a.png': 'samples' }, certificate)
  plain = await startOrigin({
    '/to-tls.png': { status: 302, headers: { location: `https://img.test:${secure.url.port}/a.png` } },
  })
  const settings = imageSettings({ remotePatterns: [{ hostname: '*.test' }] })
  fetcher = createSourceFetcher({
    siteUrl: plain.url,
    settings,
    patterns: createSourcePatterns(settings, ''),
    // In place of a resolver that returns public addresses.
    lookup: createGuardedLookup(true, async () => [{ address: '127.0.0.1', family: 4 }]),
  })
})
afterAll(async () => {
  setDefaultCACertificates(authorities)
  fetcher?.close()
  await Promise.all([secure?.close(), plain?.close()])
})

const get = (url: string) =>
  fetcher.fetch({ kind: 'remote', url, pattern: '' }, { signal: new AbortController().signal, requestId: 'request-1' })
const https = (host: string) => get(`https://${host}:${secure.url.port}/a.png`)

describe('a source behind TLS', () => {
  test('I4 is fetched when its certificate has the right name and a known authority', async () => {
    expect(await https('img.test')).toMatchObject({ kind: 'fetched', body: Buffer.from('samples') })
    // The second request uses the connection of the first.
    expect(await https('img.test')).toMatchObject({ kind: 'fetched' })
    expect(secure.requests[0]?.headers.host).toBe(`img.test:${secure.url.port}`)
  })

  test('I4 is fetched at the end of a redirect from a source without TLS', async () => {
    expect(await get(`http://img.test:${plain.url.port}/to-tls.png`)).toMatchObject({ kind: 'fetched' })
  })

  test('I4 I11 is refused when its certificate has another name', async () => {
    const before = secure.requests.length
    const result = await https('other.test')
    expect(result).toMatchObject({ kind: 'failed', status: 502, reason: expect.stringContaining('altnames') })
    expect(secure.requests).toHaveLength(before)
  })

  test('I4 I11 is refused when no known authority signed its certificate', async () => {
    const stranger = await startOrigin({ '/a.png': 'samples' }, makeCertificate('img.test'))
    const result = await get(`https://img.test:${stranger.url.port}/a.png`)
    expect(result).toMatchObject({ kind: 'failed', status: 502, reason: expect.stringContaining('self-signed') })
    expect(stranger.requests).toEqual([])
    await stranger.close()
  })
})
