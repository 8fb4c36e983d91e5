import { expect, it } from 'vitest'
import { type Environment, readConfig } from './config.ts'
import { fromStack } from './from-stack.ts'
import { placeName, portOf, readServiceAddresses } from './service-addresses.ts'

function read(environment: Environment): string[] {
  const { addresses } = readConfig(environment, (reader) => ({
    addresses: readServiceAddresses(reader, 'renderer', reader.port('INNER_PORT')),
  }))
  return addresses.map(({ url, innerUrl }) => `${url.host} ${innerUrl.host}`)
}

const innerUrls = (...renderer: string[]) => fromStack({ innerUrls: { renderer } })

it('W5 an inner URL is the host of the service at the shared port, unless it is given', () => {
  expect(read({})).toEqual(['renderer:8080 renderer:9090'])
  expect(read({ INNER_PORT: '7000' })).toEqual(['renderer:8080 renderer:7000'])
  expect(read({ INNER_PORT: '0' })).toEqual(['renderer:8080 renderer:9090'])
  expect(read(innerUrls('http://other:1'))).toEqual(['renderer:8080 other:1'])
})

it('W5 K3 each URL of a list is a replica with its own inner URL', () => {
  const RENDERER_URL = 'http://127.0.0.1:1, http://127.0.0.1:2,'
  expect(read({ RENDERER_URL, ...innerUrls('http://127.0.0.1:3', 'http://127.0.0.1:4') })).toEqual([
    '127.0.0.1:1 127.0.0.1:3',
    '127.0.0.1:2 127.0.0.1:4',
  ])
  expect(read({ RENDERER_URL: 'http://one:1,http://two:1' })).toEqual(['one:1 one:9090', 'two:1 two:9090'])
})

it('W5 a list with one bad URL, or with another number of inner URLs, is refused with name, value and rule', () => {
  expect(() => read({ RENDERER_URL: 'http://one:1,two' })).toThrow(
    'RENDERER_URL="http://one:1,two": must be http URLs with commas between them',
  )
  expect(() => read({ RENDERER_URL: 'http://one:1,http://two:1', ...innerUrls('http://one:2') })).toThrow(
    'the stack must give one inner URL for each URL of renderer',
  )
})

it('G2 ports and names of places are those that sockets and logs need', () => {
  const url = new URL('http://[::1]:8080')
  expect([portOf(url), placeName('::1', 8080)]).toEqual([8080, '[::1]:8080'])
  expect(portOf(new URL('http://renderer'))).toBe(80)
})
