import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { parseSiteConfig } from '../config/config.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { computeBuildId } from './built-files.ts'
import { manifestOf } from './manifest.ts'

afterAll(removeFolders)

describe('build id', () => {
  const fileOf = (etag: string, size = 1) => ({ etag, size, type: 'text/plain', encodings: {} })
  const manifest: Manifest = {
    ...manifestOf(
      { folder: { apiRoutes: [] }, config: parseSiteConfig({}), actions: [] },
      { pages: [], screens: [], browserEntry: { module: 'a.js', imports: [], styles: [] } },
    ),
    staticFiles: { 'a.js': fileOf('"1"') },
  }
  const idOf = async (changes: Partial<Manifest>, server = 'server', actions = 'actions') => {
    const outDir = await createFolder({ 'server/chunks/a.js': server, 'actions/chunks/a.js': actions })
    return computeBuildId(outDir, { ...manifest, ...changes })
  }

  it('F3 the id changes with code, config and the hashes of files, not with sizes or an earlier id', async () => {
    const id = await idOf({})
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    expect(await idOf({})).toBe(id)
    expect(await idOf({ buildId: 'x' })).toBe(id)
    expect(await idOf({ staticFiles: { 'a.js': fileOf('"1"', 2) } })).toBe(id)
    const others = [
      await idOf({ basePath: '/shop' }),
      await idOf({ staticFiles: { 'a.js': fileOf('"2"') } }),
      await idOf({ publicFiles: { '/a.txt': fileOf('"2"') } }),
      await idOf({}, 'other'),
      await idOf({}, 'server', 'other'),
      await idOf({}, 'actions', 'server'),
    ]
    expect(new Set([id, ...others]).size).toBe(others.length + 1)
  })
})
