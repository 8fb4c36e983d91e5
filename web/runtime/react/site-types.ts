// Types of one app folder, empty until the `portico-env.d.ts` that the build writes into the folder fills them, and the
// targets of links, which are its paths.

import type { RouteParams } from '@portico/shared/wire/route-params.ts'

type KnownPath = RouteTypes extends { path: infer Path extends string } ? Path : string

/**
 * The target of a link: a path of the site with an optional query or hash, a query or hash alone, or a URL of another
 * site. Any path is accepted until the build has written the types of the folder.
 */
export type Href =
  | `${KnownPath}${'' | `?${string}` | `#${string}`}`
  | `?${string}`
  | `#${string}`
  | `${'http:' | 'https:' | ''}//${string}`
  | `${'mailto' | 'tel' | 'sms'}:${string}`

/** The paths of an app folder, as `path`: declared by the `portico-env.d.ts` that the build writes into it. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface RouteTypes {}

/**
 * The parameters of the dynamic routes of an app folder by name: a string for `[slug]`, a list for `[...rest]`, a list or
 * undefined for `[[...rest]]`; of a name with several of these, all of them. Declared by the same file.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface ParamTypes {}

/** The values of `publicEnv` in portico.config.ts with their types: declared by the same file. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface PublicEnvTypes {}

/** The values of `env` in portico.config.ts with their types: declared by the same file. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface EnvTypes {}

/** The parameters of a page: the names in the paths of the folder's files, once its types were written. */
export type PageParams = keyof ParamTypes extends never ? RouteParams : { [Name in keyof ParamTypes]: ParamTypes[Name] }
