import { open, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { whenWritten } from './dev-plugins.ts'

afterAll(removeFolders)

test('V1 waits for the content of a file that an editor has truncated', async () => {
  const file = join(await createFolder({ 'page.tsx': 'one' }), 'page.tsx')
  const editor = await open(file, 'w')
  const written = whenWritten(file).then(() => 'written')
  expect(await Promise.race([written, delay(50, 'empty')])).toBe('empty')
  await editor.writeFile('two')
  await editor.close()
  expect(await written).toBe('written')
})

test('V1 does not wait for a file that was saved empty before, that is removed, or that has content', async () => {
  const dir = await createFolder({ 'empty.css': '', 'full.css': 'a{}', 'gone.css': 'a{}' })
  await utimes(join(dir, 'empty.css'), new Date(0), new Date(0))
  await rm(join(dir, 'gone.css'))
  const all = Promise.all(['empty.css', 'full.css', 'gone.css'].map((name) => whenWritten(join(dir, name))))
  expect(await Promise.race([all, delay(400, 'waits')])).not.toBe('waits')
})

test('V1 ends its wait for a new file that remains empty', async () => {
  const dir = await createFolder()
  await writeFile(join(dir, 'new.css'), '')
  await whenWritten(join(dir, 'new.css'))
})
