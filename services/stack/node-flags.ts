// Flags of Node for each service's process. docker/Dockerfile has the same in its commands.

import type { ServiceName } from './stack.ts'

/**
 * What passes through gateway and images are buffers outside of V8's heap, which it frees when it collects the young
 * generation. A large one fills so slowly that V8 meets its limit for memory outside first and collects everything
 * instead, 5 to 10 ms each time. In MiB: `images` makes few objects between two pictures, the gateway many for each request.
 */
export const NODE_FLAGS: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: ['--max-semi-space-size=8'],
  renderer: [],
  images: ['--max-semi-space-size=1'],
  actions: [],
}
