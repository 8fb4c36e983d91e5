import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'
import { createForwardedReader, isHost, parseTrustedProxies } from './forwarded.ts'

interface Case {
  name: string
  peer: string
  trusted?: string[]
  origins?: string[]
  headers?: Record<string, string>
  expected: { client: string; proto: string; host: string }
}

const FORGED = { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
const PLAIN = { proto: 'http', host: 'site.test' }

const CASES: Case[] = [
  { name: 'no proxy is trusted', peer: '9.9.9.9', headers: FORGED, expected: { client: '9.9.9.9', ...PLAIN } },
  {
    name: 'another peer is trusted',
    peer: '9.9.9.9',
    trusted: ['10.0.0.0/8'],
    headers: FORGED,
    expected: { client: '9.9.9.9', ...PLAIN },
  },
  {
    name: 'the peer is trusted',
    peer: '10.0.0.1',
    trusted: ['10.0.0.0/8'],
    headers: FORGED,
    expected: { client: '6.6.6.6', proto: 'https', host: 'evil.example' },
  },
  {
    name: 'the peer has an IPv6 form',
    peer: '::ffff:10.0.0.1',
    trusted: ['10.0.0.1'],
    headers: FORGED,
    expected: { client: '6.6.6.6', proto: 'https', host: 'evil.example' },
  },
  {
    name: 'two proxies are trusted',
    peer: '10.0.0.1',
    trusted: ['10.0.0.0/8'],
    headers: { 'x-forwarded-for': '1.1.1.1, 6.6.6.6, 10.0.0.2' },
    expected: { client: '6.6.6.6', ...PLAIN },
  },
  ...[
    ['6.6.6.6:4711', '6.6.6.6'],
    ['1.1.1.1:1, [2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['6.6.6.6:x', '10.0.0.1'],
    ['[6.6.6.6', '10.0.0.1'],
    ['::1:4711', '::1:4711'],
    ['6.6.6.6, ::ffff:a00:2', '6.6.6.6'],
    ['6.6.1', '10.0.0.1'],
    ['0x06.6.6.6', '10.0.0.1'],
  ].map(([text, client]) => ({
    name: `the proxy reports ${text}`,
    peer: '10.0.0.1',
    trusted: ['10.0.0.0/8'],
    headers: { 'x-forwarded-for': text! },
    expected: { client: client!, ...PLAIN },
  })),
  {
    name: 'an entry is no address',
    peer: '10.0.0.1',
    trusted: ['10.0.0.0/8'],
    headers: { 'x-forwarded-for': '1.1.1.1, evil' },
    expected: { client: '10.0.0.1', ...PLAIN },
  },
  {
    name: 'the proto is a new one',
    peer: '10.0.0.1',
    trusted: ['10.0.0.1'],
    headers: { 'x-forwarded-proto': 'javascript' },
    expected: { client: '10.0.0.1', ...PLAIN },
  },
  {
    name: 'the forwarded host is malformed',
    peer: '10.0.0.1',
    trusted: ['10.0.0.1'],
    headers: { 'x-forwarded-host': 'a/b' },
    expected: { client: '10.0.0.1', ...PLAIN },
  },
  {
    name: 'origins are configured',
    peer: '9.9.9.9',
    origins: ['https://example.org', 'http://b.example:81'],
    expected: { client: '9.9.9.9', proto: 'https', host: 'example.org' },
  },
  {
    name: 'the host is the second origin',
    peer: '9.9.9.9',
    origins: ['https://example.org', 'http://site.test'],
    expected: { client: '9.9.9.9', ...PLAIN },
  },
  {
    name: 'a trusted IPv6 network forwards',
    peer: 'fd00::1',
    trusted: ['fd00::/8'],
    headers: { 'x-forwarded-for': '2001:db8::1' },
    expected: { client: '2001:db8::1', ...PLAIN },
  },
]

describe('the client of a request', () => {
  it.each(CASES)('G5 $name', ({ peer, trusted = [], origins = [], headers = {}, expected }) => {
    const read = createForwardedReader({ trustedProxies: parseTrustedProxies(trusted) ?? [], publicOrigins: origins })
    // The reader reads only these two members.
    const request = {
      socket: { remoteAddress: peer },
      headers: { host: 'site.test', ...headers },
    } as unknown as IncomingMessage
    expect(read(request)).toEqual(expected)
  })

  it.each(['10.0.0.0/33', 'x', '10.0.0.1/a', '300.1.1.1'])('G5 refuses the trusted proxy %s', (text) => {
    expect(parseTrustedProxies([text])).toBeUndefined()
  })

  it.each(['a', 'a.example:80', '[::1]:8080', '127.0.0.1', 'a_b.example'])('G5 accepts the host %s', (text) => {
    expect(isHost(text)).toBe(true)
  })
  it.each([
    '',
    'a b',
    'a/b',
    'user@a',
    'a:b',
    'a:123456',
    'a?b',
    'a#b',
    '[::1',
    'a,b',
    'a:65536',
    '1.2.3.999',
    '[1:2]',
  ])('G5 refuses the host %j', (text) => {
    expect(isHost(text)).toBe(false)
  })
})

describe('the headers that upstreams receive', () => {
  let upstream: Upstream
  let untrusting: TestGateway
  let trusting: TestGateway
  beforeAll(async () => {
    upstream = await startUpstream('upstream')
    untrusting = await startGateway({ upstreams: all(upstream) })
    trusting = await startGateway({ upstreams: all(upstream), trustedProxies: ['127.0.0.1'] })
  })
  afterAll(() => Promise.all([untrusting, trusting, upstream].map((part) => part.stop())))

  const received = async (gateway: TestGateway) => {
    const more = {
      forwarded: 'for=6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': '/x',
    }
    await send(gateway.port, '/', { headers: { ...FORGED, ...more, host: 'site.test' } })
    const { headers } = upstream.requests.at(-1)!
    return Object.fromEntries(Object.entries(headers).filter(([name]) => /forwarded|real-ip|^host$/.test(name)))
  }

  it('G5 are set only by the gateway', async () => {
    expect(await received(untrusting)).toEqual({
      host: 'site.test',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'site.test',
    })
    expect(await received(trusting)).toEqual({
      host: 'site.test',
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
    })
  })
})
