// The build of a site as the images service reads it, in a temporary folder.

import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MANIFEST_FORMAT } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { imageSettings } from './image-settings.ts'

/** Returns the app folder, which the caller removes. */
export async function writeBuild(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'portico-images-build-'))
  await mkdir(join(dir, 'dist'))
  const manifest = {
    format: MANIFEST_FORMAT,
    version: PORTICO_VERSION,
    buildId: 'b1',
    basePath: '',
    semantics: {},
    images: imageSettings(),
  }
  await writeFile(join(dir, 'dist', 'manifest.json'), JSON.stringify(manifest))
  return dir
}
