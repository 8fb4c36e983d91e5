// For tests of the proxy: parts that stop after each test, a gateway, upstreams, two replicas.

import { afterEach } from 'vitest'
import {
  all,
  type GatewayOptions,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from './gateway-fixture.ts'

const parts: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(parts.splice(0).map((part) => part.stop()))
})

/** Stops a part after the test that made it. */
export function stopAfter<T extends { stop(): Promise<void> }>(part: T): T {
  parts.push(part)
  return part
}

export async function gatewayOf(options: GatewayOptions): Promise<TestGateway> {
  return stopAfter(await startGateway(options))
}

export async function upstreamOf(
  name = 'upstream',
  options: Parameters<typeof startUpstream>[1] = {},
): Promise<Upstream> {
  return stopAfter(await startUpstream(name, options))
}

/** Two replicas of every service: one port at two addresses of this machine. `versions`: what their probes report. */
export async function twoReplicas(options: Partial<GatewayOptions> = {}, versions: [string, string] | [] = []) {
  const one = await upstreamOf('one', { version: versions[0] })
  const two = await upstreamOf('two', { host: '127.0.0.2', port: one.port, version: versions[1] })
  const lookup = async () => ['127.0.0.1', '127.0.0.2']
  const gateway = await gatewayOf({ upstreams: all(one), replicaOptions: { lookup }, ...options })
  return { one, two, gateway }
}
