// What the manifests of a build and of the development server have in common.

import { type BrowserManifest, MANIFEST_FORMAT, type Manifest } from '../../../services/shared/wire/build-output.ts'
import type { BundleSources } from '../bundles/bundle-config.ts'

/** A manifest without id and files, which come when everything else is known. */
export function manifestOf(
  {
    folder,
    config,
    actions,
  }: Pick<BundleSources, 'config' | 'actions'> & {
    folder: Pick<BundleSources['folder'], 'apiRoutes'>
  },
  { pages, screens, browserEntry }: Pick<Manifest, 'pages' | 'screens' | 'browserEntry'>,
): Manifest {
  const { serverExternalPackages: _onlyForTheBuild, ...settings } = config
  return {
    format: MANIFEST_FORMAT,
    buildId: '',
    ...settings,
    pages,
    screens,
    apiRoutes: folder.apiRoutes,
    actions,
    browserEntry,
    publicFiles: {},
    staticFiles: {},
  }
}

/** The part that the router in the browser needs. */
export function browserManifestOf({ buildId, pages, screens }: Manifest): BrowserManifest {
  return {
    buildId,
    pages: pages.map(({ pattern, data, files }) => ({ pattern, data, files })),
    screens: screens.map(({ pattern, files }) => ({ pattern, files })),
  }
}
