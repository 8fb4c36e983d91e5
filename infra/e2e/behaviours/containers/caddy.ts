// The stack of `docker compose` with Caddy in front, as an operator starts it, and a client that trusts its authority.

import { globalAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { buildStandIn, type ComposeOptions, type ComposeStack, startCompose } from '../../harness/compose-stack.ts'
import { send } from '../../harness/http.ts'

export interface HttpsStack extends ComposeStack {
  /** As in `https://localhost:4711`. */
  secureUrl: string
  /** The address for http. */
  plainUrl: string
}

/** Debian's Caddy: behaves like the public image, and needs only Debian's packages. */
const STAND_IN = 'portico-test-caddy'
const STAND_IN_FILE = `FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends caddy && rm -rf /var/lib/apt/lists/*
`
const AUTHORITY = '/data/caddy/pki/authorities/local/root.crt'

interface HttpsOptions extends Pick<ComposeOptions, 'appDir' | 'settings'> {
  /** The running stack that Caddy is added to. */
  onto?: ComposeStack
}

/** Starts it for https://localhost, and waits until Caddy responds. */
export async function startHttps({ onto, ...options }: HttpsOptions): Promise<HttpsStack> {
  await buildStandIn(STAND_IN, STAND_IN_FILE)
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const secureUrl = `https://localhost:${httpsPort}`
  const layered = {
    files: ['docker-compose.yml', 'docker/compose.https.yml'],
    settings: {
      ...{ PUBLIC_ORIGINS: secureUrl, HTTP_PORT: String(httpPort), HTTPS_PORT: String(httpsPort) },
      // Two stacks on one machine must not have the same.
      FRONT_SUBNET: `10.211.${Math.floor(Math.random() * 256)}.0/24`,
      CADDY_IMAGE: STAND_IN,
      ...options.settings,
    },
  }
  const stack = await (onto ? onto.change(layered) : startCompose({ ...options, ...layered }))
  try {
    globalAgent.options.ca = await soon(stack, () => stack.compose('exec', '-T', 'caddy', 'cat', AUTHORITY))
    await soon(stack, () => send(secureUrl, '/'))
  } catch (error) {
    await stack.down()
    throw error
  }
  return { ...stack, secureUrl, plainUrl: `http://localhost:${httpPort}` }
}

/** Caddy makes its authority and its first certificate right after its start. */
async function soon<T>({ compose }: ComposeStack, attempt: () => Promise<T>): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (count === 100) throw new Error(await compose('logs', 'caddy'), { cause: error })
      await sleep(300)
    }
  }
}
