// The addresses of services: lists of URLs, each of one replica, or of a host that may resolve to many (G2, W5).

import type { Reader } from './config.ts'
import type { ALL_SERVICES } from './setting.ts'
import { SETTINGS } from './settings.ts'

/** One entry of a service's lists: a replica, or a host that may resolve to many replicas. */
export interface ServiceAddress {
  url: URL
  innerUrl: URL
}

/** A service's inner URLs: those of the stack, else the host of each of its URLs at the port that inner listeners share. */
export function readInnerUrls(
  read: Reader,
  service: (typeof ALL_SERVICES)[number],
  urls: readonly URL[],
  innerPort: number,
): URL[] {
  const given = read.stack.innerUrls?.[service]
  if (given) return given.map((url) => new URL(url))
  return urls.map(({ hostname }) => new URL(`http://${hostname}:${innerPort || SETTINGS.INNER_PORT.fallback}`))
}

/** The URLs of a service, each with its inner URL. */
export function readServiceAddresses(
  read: Reader,
  service: 'renderer' | 'images' | 'actions',
  innerPort: number,
): ServiceAddress[] {
  const urls = read.urls(`${upperCase(service)}_URL`)
  const innerUrls = readInnerUrls(read, service, urls, innerPort)
  if (innerUrls.length !== urls.length) throw new Error(`the stack must give one inner URL for each URL of ${service}`)
  return urls.map((url, at) => ({ url, innerUrl: innerUrls[at]! }))
}

function upperCase<Text extends string>(text: Text): Uppercase<Text> {
  // The type of toUpperCase is string.
  return text.toUpperCase() as Uppercase<Text>
}

/** Address and port of a process, for example `10.0.0.7:8080`. */
export function placeName(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** The port of an http URL. */
export function portOf({ port }: URL): number {
  return Number(port) || 80
}
