// Values of the environment that portico.config.ts declares public, typed and read at start (O8).

type Value = string | number | boolean

let values: Readonly<Record<string, Value>> = {}

/** Called once by the bundle's entry (server: at boot, browser: before hydration). */
export function setPublicEnv(next: Readonly<Record<string, Value>>): void {
  values = next
}

/** The types of a site's values, for whoever declares them here. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface PublicEnvTypes {}

type Name = keyof PublicEnvTypes extends never ? string : keyof PublicEnvTypes & string
type ValueOf<N> = N extends keyof PublicEnvTypes ? PublicEnvTypes[N] : Value

/** A declared value. Throws for a name that portico.config.ts does not declare. */
export function publicEnv<N extends Name>(name: N): ValueOf<N> {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined)
    throw new Error(`publicEnv("${name}"): portico.config.ts declares no such value, or it is optional and unset`)
  // The renderer checked the value against the declared type at start.
  return value as ValueOf<N>
}
