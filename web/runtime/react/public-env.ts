// Values of the environment that portico.config.ts declares public, typed and read at start (O8).

import type { PublicValues } from '../../../services/shared/wire/page-data.ts'
import type { PublicEnvTypes, RouteTypes } from './site-types.ts'

type Value = string | number | boolean

let values: PublicValues | undefined

/** Called before code of the site runs: with each request on the server, before hydration in the browser. */
export function setPublicEnv(next: PublicValues): void {
  values = next
}

/** Any name until the folder's own types were written: those of paths tell. */
type Name = keyof RouteTypes extends never ? string : keyof PublicEnvTypes & string
type ValueOf<N> = N extends keyof PublicEnvTypes ? PublicEnvTypes[N] : Value

/** A declared value; undefined where it is optional and unset. Throws for a name that portico.config.ts does not declare. */
export function publicEnv<N extends Name>(name: N): ValueOf<N> {
  if (!values) throw new Error(`publicEnv("${name}") was called while modules load; call it inside a function`)
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined)
    throw new Error(`publicEnv("${name}"): publicEnv of portico.config.ts declares no such value`)
  // The service checked the value against the declared type at start; the types of optional ones hold undefined.
  return (value ?? undefined) as ValueOf<N>
}
