// The addresses of services: lists of URLs, each of one replica, or of a host that may resolve to many (G2, W5).

import type { Reader } from '../config/config.ts'
import { SETTINGS } from '../config/settings.ts'

/** One entry of a service's lists: a replica, or a host that may resolve to many replicas. */
export interface ServiceAddress {
  url: URL
  innerUrl: URL
}

/** A service's inner URLs: its own variable, else the host of each of its URLs at the port that inner listeners share. */
export function readInnerUrls(
  read: Reader,
  name: `${'GATEWAY' | 'RENDERER' | 'IMAGES' | 'ACTIONS'}_INNER_URL`,
  urls: readonly URL[],
  innerPort: number,
): URL[] {
  if (read.list(name).length > 0) return read.urls(name)
  return urls.map(({ hostname }) => new URL(`http://${hostname}:${innerPort || SETTINGS.INNER_PORT.fallback}`))
}

/** The URLs of a service, each with its inner URL. */
export function readServiceAddresses(
  read: Reader,
  service: 'RENDERER' | 'IMAGES' | 'ACTIONS',
  innerPort: number,
): ServiceAddress[] {
  const urls = read.urls(`${service}_URL`)
  const name = `${service}_INNER_URL` as const
  const innerUrls = readInnerUrls(read, name, urls, innerPort)
  if (innerUrls.length !== urls.length) read.refuse(name, `one http URL for each of ${service}_URL, in the same order`)
  return urls.map((url, at) => ({ url, innerUrl: innerUrls[at] ?? url }))
}

/** Address and port of a process, for example `10.0.0.7:8080`. */
export function placeName(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** The port of an http URL. */
export function portOf({ port }: URL): number {
  return Number(port) || 80
}
