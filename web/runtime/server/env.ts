// env of portico/server: the secrets of the site, which portico.config.ts declares (O8). Services check and set the values
// before they load a module of the site.

import { ENV_VALUES, type EnvValues } from '@portico/shared/wire/bundles.ts'
import type { EnvTypes, RouteTypes } from '../react/site-types.ts'

/** Any name until the build has written the types of the folder. */
type Env = keyof RouteTypes extends never ? Readonly<Record<string, string | number | boolean>> : Readonly<EnvTypes>

/**
 * The values that `env` of `portico.config.ts` declares, from the environment of the renderer and the actions service;
 * undefined for an optional value that is not set. Modules may read a value while they are loaded. A name that the config
 * does not declare throws. The browser cannot import it.
 *
 * @example
 * ```ts
 * // lib/payment.ts
 * import { env } from 'portico/server'
 *
 * export const authorization = `Bearer ${String(env.PAYMENT_KEY)}`
 * ```
 */
// SECURITY: the object has no members of its own, so that logging or sending it shows no value.
export const env: Env = new Proxy(Object.freeze({}) as Env, { get: (_target, name) => readValue(name) })

function readValue(name: string | symbol): unknown {
  // Node and libraries look for symbols on objects that they print.
  if (typeof name === 'symbol') return undefined
  const values = Reflect.get(globalThis, ENV_VALUES) as EnvValues | undefined
  if (!values) throw new Error(`env.${name}: only the renderer and the actions service have values`)
  if (!Object.hasOwn(values, name)) throw new Error(`env.${name}: env of portico.config.ts declares no such value`)
  return values[name] ?? undefined
}
