// Flags of Node for the process of each service. docker/Dockerfile and infra/swarm have the same flags in their commands.

import { MAX_RESPONSE_HEAD_BYTES } from '@portico/shared/wire/constants.ts'
import type { ServiceName } from './service-names.ts'

/** For heads of responses between the services. node:http has no other limit for the requests of a proxy. */
const HEAD_FLAGS = [`--max-http-header-size=${MAX_RESPONSE_HEAD_BYTES}`]

/**
 * In production. Bodies that pass through gateway and images are buffers outside of V8's heap, which V8 frees when it collects the
 * young generation. A large young generation fills so slowly that V8 reaches its limit for external memory first and
 * collects everything instead, 5 to 10 ms each time. In MiB: `images` allocates few objects per image, the gateway many
 * per request. Renderer and actions fill it once, while they load modules, and would keep it: a renderer without requests
 * holds 26 MB less, and a page takes the same processor time.
 */
export const NODE_FLAGS: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: ['--max-semi-space-size=8', ...HEAD_FLAGS],
  renderer: ['--max-semi-space-size=4'],
  images: ['--max-semi-space-size=1'],
  actions: ['--max-semi-space-size=4'],
}

/** Under development, where the renderer compiles, too. */
export function devNodeFlags(service: ServiceName): readonly string[] {
  return service === 'gateway' ? HEAD_FLAGS : []
}
