// `portico check` as a process: exit codes, and the report as text and as JSON.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FRAMEWORK } from '../framework-files.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import type { Report } from './report.ts'

afterAll(removeFolders)

const run = (env: Record<string, string>, ...args: string[]) =>
  spawnSync(process.execPath, [join(FRAMEWORK, 'web/build/check/check-cli.ts'), ...args], {
    cwd: FRAMEWORK,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })

test('K1 exits with 1 when something is refused', async () => {
  const page = "import Link from 'next/link'\nexport default () => <Link href='/' />"
  const { status, stdout, stderr } = run({ APP_DIR: await createFolder({ 'pages/index.tsx': page }) })
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  expect(stdout).toContain('refused  "next/link" is not part of Portico; use Link of portico\n')
})

test('K1 exits with 0 when nothing is refused, and prints the report as JSON', async () => {
  const dir = await createFolder({ 'pages/index.tsx': 'export default () => null', 'src/instrumentation.ts': '' })
  const { status, stdout } = run({ APP_DIR: '/nowhere' }, '--json', dir)
  expect(status).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report).toMatchObject({ folder: dir, supported: { pages: { count: 1 } } })
  expect(report.faults).toEqual([
    {
      kind: 'missing',
      text: expect.stringMatching(/^not read: move it next to the folder pages/),
      docs: 'next-differences',
      places: [{ file: 'src/instrumentation.ts' }],
    },
  ])
})

test.each([
  [['--help'], 0, ['portico check [folder]', '--json', 'Exit codes']],
  [['--unheard-of'], 2, ["portico check: Unknown option '--unheard-of'", 'portico check --help']],
  [['one', 'two'], 2, ['portico check: 2 folders are given; name one']],
  [['/nowhere'], 2, ['portico check: "/nowhere" must be a folder']],
])('K1 %j exits with %d', (args, code, texts) => {
  const { status, stdout, stderr } = run({}, ...args)
  expect(status).toBe(code)
  for (const text of texts) expect(code === 0 ? stdout : stderr).toContain(text)
})
