// Before the modules of each test file: the environment that services give to code of the site.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import 'virtual:portico/framework'
import { folder } from 'virtual:portico/test-folder'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { afterAll } from 'vitest'
import { setPublicEnv } from '../react/public-env.ts'

if (!process.env.DATA_DIR) {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-test-'))
  process.env.DATA_DIR = dataDir
  afterAll(() => {
    delete process.env.DATA_DIR
    rmSync(dataDir, { recursive: true, force: true })
  })
}

// A service does not start without these values, and neither do tests.
const { publicEnv, env } = readSiteEnvironment(folder.manifest, process.env)
provideEnv(env)
// For tests of single components.
setPublicEnv(publicEnv.values)
