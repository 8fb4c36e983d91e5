// What a link of an app folder may lead to, once the types that the build writes say which paths there are.

import type { RouteTypes } from './site-types.ts'

type KnownPath = RouteTypes extends { path: infer Path extends string } ? Path : string

/**
 * A path of the site, with query and hash as wanted, a query or hash alone, or another site's address. Any string
 * where the folder's own types were not written yet.
 */
export type Href =
  | `${KnownPath}${'' | `?${string}` | `#${string}`}`
  | `?${string}`
  | `#${string}`
  | `${'http:' | 'https:' | ''}//${string}`
  | `${'mailto' | 'tel' | 'sms'}:${string}`
