// `next/config`: publicRuntimeConfig and serverRuntimeConfig of next.config, which Next.js removed in version 16 (X1).

import { runtimeConfig } from 'virtual:portico/next-config'

/** The values of next.config. Those for the server are empty in the browser. */
export default function getConfig(): typeof runtimeConfig {
  return runtimeConfig
}
