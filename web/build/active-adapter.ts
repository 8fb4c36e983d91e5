// The adapter of a site, and what a site without one has in its place.

import type { KindOfRoute, SiteAdapter } from './adapter.ts'
import { adapter } from './registered-adapter.ts'

/** Undefined for a site for which the mode is off. */
export function adapterOf({ on }: { on: boolean }): SiteAdapter | undefined {
  return on ? adapter : undefined
}

/** The kinds of pages by their sources. */
export async function kindsOfSources(
  ...[sources, routes]: Parameters<SiteAdapter['kinds']['ofSources']>
): Promise<KindOfRoute> {
  return (await adapterOf(sources.next)?.kinds.ofSources(sources, routes)) ?? asExported
}

/** The kinds of pages by a built bundle. */
export async function kindsOfBuild(
  ...[sources, ...built]: Parameters<SiteAdapter['kinds']['ofBuild']>
): Promise<KindOfRoute> {
  return (await adapterOf(sources.next)?.kinds.ofBuild(sources, ...built)) ?? asExported
}

const asExported: KindOfRoute = (_route, exported) => exported
