// The folder of uploaded files (A7).

import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createUploads } from './body.ts'

it('A7 deletes files older than a day at boot, and keeps files that another replica may read', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portico-uploads-'))
  const now = Date.now()
  await writeFile(join(dir, 'old.upload'), '')
  await utimes(join(dir, 'old.upload'), new Date(now), new Date(now - 86_400_001))
  await writeFile(join(dir, 'young.upload'), '')
  await utimes(join(dir, 'young.upload'), new Date(now), new Date(now - 86_000_000))
  await createUploads(dir).prepare(now)
  expect(await readdir(dir)).toEqual(['young.upload'])
  await rm(dir, { recursive: true })
})

it('A7 deletes the files of one request and no others', async () => {
  const dir = join(await mkdtemp(join(tmpdir(), 'portico-uploads-')), 'made')
  const uploads = createUploads(dir)
  await uploads.prepare(Date.now())
  const [one, two] = [uploads.createScope(), uploads.createScope()]
  await writeFile(one.createPath(), 'a')
  await writeFile(two.createPath(), 'b')
  one.createPath()
  await one.dispose()
  expect(await readdir(dir)).toHaveLength(1)
  await two.dispose()
  expect(await readdir(dir)).toEqual([])
  await rm(dir, { recursive: true })
})
