import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { brokenLinks, publicPaths } from './public-files.ts'

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

test('F2 a link in public/ that leads to nothing is left out and reported, and no other file is', async () => {
  const dir = await createFolder({ ...files, 'public/deep/b.txt': 'b' })
  await symlink('../gone.txt', join(dir, 'public/gone.txt'))
  await symlink('round', join(dir, 'public/deep/round'))
  await symlink('deep', join(dir, 'public/again'))
  expect(await publicPaths(dir)).toEqual(expect.arrayContaining(['/a.txt', '/deep/b.txt', '/demo.pem']))
  expect(await brokenLinks(dir)).toEqual([
    'public/deep/round: is a link to round, which does not exist: it is not served; remove the link, or put the file in its place',
    'public/gone.txt: is a link to ../gone.txt, which does not exist: it is not served; remove the link, or put the file in its place',
  ])
  expect(await brokenLinks(await createFolder({ 'a.txt': '' }))).toEqual([])
})
