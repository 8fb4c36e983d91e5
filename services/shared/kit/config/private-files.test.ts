// Which parts of DATA_DIR other users of the machine may read (O9).

import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPrivateFile, createPrivateFolder, tightenDataDir } from './private-files.ts'

function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'portico-private-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

it('O9 folders and files are created for their owner alone', () => {
  const dir = join(makeDir(), 'a/b')
  createPrivateFolder(dir)
  createPrivateFile(join(dir, 'file'))
  expect([join(dir, '..'), dir, join(dir, 'file')].map(modeOf)).toEqual(['700', '700', '600'])
})

it('O9 access that older versions allowed is removed, and files of the site are not changed', () => {
  const dir = makeDir()
  mkdirSync(join(dir, 'uploads'))
  const ours = [
    'submissions.sqlite',
    'submissions.sqlite-wal',
    'submissions.sqlite-shm',
    'action-key.secret',
    'uploads/x',
  ]
  const sites = ['postcards.sqlite', 'my.secret.txt']
  for (const name of [...ours, ...sites]) {
    writeFileSync(join(dir, name), '')
    chmodSync(join(dir, name), 0o644)
  }
  chmodSync(dir, 0o755)
  expect(tightenDataDir(dir)).toEqual([])
  expect(ours.map((name) => modeOf(join(dir, name)))).toEqual(ours.map(() => '600'))
  expect([dir, join(dir, 'uploads')].map(modeOf)).toEqual(['700', '700'])
  expect(sites.map((name) => modeOf(join(dir, name)))).toEqual(['644', '644'])
  expect(tightenDataDir(join(dir, 'nowhere'))).toEqual([])
})
