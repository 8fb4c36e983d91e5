// The build of an app folder as the actions service reads it, with a hand-written bundle.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MANIFEST_FORMAT } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'

/** A site without pages, handlers and actions. */
export const EMPTY_MANIFEST = {
  format: MANIFEST_FORMAT,
  version: PORTICO_VERSION,
  buildId: 'b1',
  basePath: '',
  trailingSlash: false,
  semantics: {},
  pages: [],
  rewrites: [],
  apiRoutes: [],
  publicFiles: {},
  csp: { site: null, routes: {}, screen: null },
  actions: [],
  publicEnv: {},
  env: {},
}

/** Writes the build below `dir`. `bundle` is the text of the module; `changes` are members of the manifest. */
export async function writeBuild(dir: string, bundle: string, changes: object = {}): Promise<void> {
  await mkdir(join(dir, 'dist', 'actions'), { recursive: true })
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  await writeFile(join(dir, 'dist', 'actions', 'entry.js'), bundle)
  await writeFile(join(dir, 'dist', 'manifest.json'), JSON.stringify({ ...EMPTY_MANIFEST, ...changes }))
}
