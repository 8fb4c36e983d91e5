import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { publicPaths } from './public-files.ts'

afterAll(removeFolders)

const files = {
  'public/a.txt': 'a',
  'public/demo.pem': 'for all',
  'site.env': 'A=b',
  'lib/c.txt': 'c',
  '.git/HEAD': 'x',
}

test('V3 a link in public/ leads to files that may be public, and a file in public/ is public', async () => {
  const dir = await createFolder(files)
  await symlink(join(dir, 'lib/c.txt'), join(dir, 'public/c.txt'))
  expect(await publicPaths(dir)).toEqual(['/a.txt', '/c.txt', '/demo.pem'])
})

test.each(['site.env', '.git/HEAD'])('V3 a link in public/ to %s is a fault that names both', async (target) => {
  const dir = await createFolder(files)
  await symlink(join(dir, target), join(dir, 'public/harmless.txt'))
  await expect(publicPaths(dir)).rejects.toThrow(
    `public/harmless.txt: leads to ${target}, which must not be public; replace the link by a file of what may be`,
  )
})
