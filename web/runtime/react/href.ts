// The targets of links; the types that the build writes list the paths of the site.

import type { RouteTypes } from './site-types.ts'

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
