import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../testing.ts'
import { AddressRefusedError, createGuardedLookup, isLiteralRefused } from './address-guard.ts'

describe('public addresses', () => {
  test.each([
    '93.184.215.14',
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:82a::200e',
  ])('I4 allows %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['loopback, written out', '0:0:0:0:0:0:0:1'],
    ['this host', '0.0.0.0'],
    ['this host', '0.1.2.3'],
    ['this host', '::'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['cloud metadata', '169.254.169.254'],
    ['cloud metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['global with a zone', '2606:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fd12:3456::1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '2001:2::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hex', '::ffff:7f00:1'],
    ['mapped private', '::ffff:10.0.0.1'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['translated (RFC 6145)', '::ffff:0:127.0.0.1'],
    ['compatible', '::127.0.0.1'],
    ['compatible', '::7f00:1'],
    ['NAT64', '64:ff9b::127.0.0.1'],
    ['NAT64 public', '64:ff9b::8.8.8.8'],
    ['NAT64 local', '64:ff9b:1::10.0.0.1'],
    ['6to4', '2002:7f00:1::'],
    ['6to4 public', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ISATAP', '2606:4700::5efe:10.0.0.1'],
    ['ISATAP with the universal bit', '2606:4700::200:5efe:7f00:1'],
    ['discard', '100::1'],
    ['not an address', 'example.org'],
    ['nothing', ''],
  ])('I4 refuses %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['localhost', 'LOCALHOST', 'a.localhost', 'localhost.', '[::1]', '127.0.0.1', '[::ffff:7f00:1]'])(
    'I4 refuses the host %s before any name is resolved',
    (host) => {
      expect(isLiteralRefused(host)).toBe(true)
    },
  )

  test.each([
    'http://0x7f000001',
    'http://017700000001',
    'http://2130706433',
    'http://127.1',
    'http://127.0.0.1.',
    'http://①②⑦.0.0.1',
  ])('I4 refuses %s as the URL parser spells it', (url) => {
    expect(isLiteralRefused(new URL(url).hostname)).toBe(true)
  })
})

describe('the guarded lookup', () => {
  const look = (addresses: string[], allowLocal = false, all = false) =>
    new Promise<{ error: Error | null; address: unknown }>((done) => {
      const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      createGuardedLookup(allowLocal, resolve)('name.example', { all }, (error, address) => done({ error, address }))
    })

  test('I4 returns the checked addresses', async () => {
    expect(await look(['8.8.8.8'])).toEqual({ error: null, address: '8.8.8.8' })
    expect(await look(['8.8.8.8', '2606:4700::1111'], false, true)).toMatchObject({
      error: null,
      address: [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
    })
  })

  test('I4 refuses a name when one of its addresses is private', async () => {
    expect((await look(['8.8.8.8', '10.0.0.1'])).error).toBeInstanceOf(AddressRefusedError)
  })

  test('I4 allows local addresses when the site allows them', async () => {
    expect(await look(['127.0.0.1'], true)).toEqual({ error: null, address: '127.0.0.1' })
  })

  test('I4 resolves a name once: the second address of a rebinding name is never requested', async () => {
    let lookups = 0
    const server = createServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'),
    )
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const lookup = createGuardedLookup(true, async () => [
      { address: lookups++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 },
    ])
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    const status = await new Promise((done, failed) => {
      request({ host: 'rebinding.example', port, lookup }, (response) => done(response.resume().statusCode))
        .on('error', failed)
        .end()
    })
    server.close()
    expect({ status, lookups }).toEqual({ status: 200, lookups: 1 })
  })
})
