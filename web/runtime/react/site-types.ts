// Types of one app folder. They are empty until the `portico-env.d.ts` that the build writes into the folder fills them.

/** The paths of an app folder, as `path`: declared by the `portico-env.d.ts` that the build writes into it. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface RouteTypes {}

/** The values of `publicEnv` in portico.config.ts with their types: declared by the same file. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface PublicEnvTypes {}

/** The values of `env` in portico.config.ts with their types: declared by the same file. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface EnvTypes {}
