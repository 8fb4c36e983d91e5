// The adapter that applies to a site: that of registered-adapter.ts where its mode is on. A site without one has what
// Portico does itself.

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
