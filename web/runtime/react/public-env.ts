// Environment variables that portico.config.ts declares public: typed, and read at start (O8).

import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import type { PublicEnvTypes, RouteTypes } from './site-types.ts'

type Value = string | number | boolean

let values: PublicValues | undefined

/** Called before code of the site runs: with each request on the server, before hydration in the browser. */
export function setPublicEnv(next: PublicValues): void {
  values = next
}

/** Any name until the build has written the types of the folder. */
type Name = keyof RouteTypes extends never ? string : keyof PublicEnvTypes & string
type ValueOf<N> = N extends keyof PublicEnvTypes ? PublicEnvTypes[N] : Value

/**
 * Returns a value that `publicEnv` of `portico.config.ts` declares; undefined if the value is optional and not set. The
 * value is that of the environment at start, on the server and in the browser. Throws for a name that the config does
 * not declare, and while modules load: call it inside a function.
 *
 * @example
 * ```tsx
 * // components/canonical.tsx
 * import { publicEnv } from 'portico'
 *
 * export function Canonical({ path }: { path: string }) {
 *   return <link rel="canonical" href={publicEnv('PUBLIC_ORIGINS') + path} />
 * }
 * ```
 */
export function publicEnv<N extends Name>(name: N): ValueOf<N> {
  if (!values) throw new Error(`publicEnv("${name}") was called while modules load; call it inside a function`)
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined)
    throw new Error(`publicEnv("${name}"): publicEnv of portico.config.ts declares no such value`)
  // The service checked the value against the declared type at start; optional values have undefined in their type.
  return (value ?? undefined) as ValueOf<N>
}
