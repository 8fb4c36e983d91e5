// Values of the environment that portico.config.ts declares public, typed and read at start (O8).

import type { PublicEnvTypes, RouteTypes } from '../index.ts'

type Value = string | number | boolean

let values: Readonly<Record<string, Value>> = {}

/** Called once by the bundle's entry (server: at boot, browser: before hydration). */
export function setPublicEnv(next: Readonly<Record<string, Value>>): void {
  values = next
}

/** Any name until the folder's own types were written: those of paths tell. */
type Name = keyof RouteTypes extends never ? string : keyof PublicEnvTypes & string
type ValueOf<N> = N extends keyof PublicEnvTypes ? PublicEnvTypes[N] : Value

/** A declared value. Throws for a name that portico.config.ts does not declare. */
export function publicEnv<N extends Name>(name: N): ValueOf<N> {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined)
    throw new Error(`publicEnv("${name}"): portico.config.ts declares no such value, or it is optional and unset`)
  // The renderer checked the value against the declared type at start.
  return value as ValueOf<N>
}
