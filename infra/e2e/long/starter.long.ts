// The template of new sites, without an install: an editor that knows the types, and a site that passes the
// suite. The way of its author: infra/e2e/long/create.long.ts.

import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { describeSite } from '../behaviours/http/suite.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { program } from '../harness/framework.ts'
import { send } from '../harness/http.ts'
import { copyApp, makeFolder, type Run, run, type TemporaryFolder } from '../harness/processes.ts'
import { buildApp } from '../harness/replicas.ts'
import { STARTER } from '../sites/sites.ts'

let folder: TemporaryFolder
let site: string
let written: Run
let typed: Run
let stack: EmbeddedStack | undefined

const compile = () => run(join(root, 'node_modules/.bin/tsc'), ['-p', site, '--pretty', 'false'], { cwd: site })

beforeAll(async () => {
  folder = await makeFolder('starter')
  site = join(folder.path, 'mysite')
  await copyApp(STARTER.appDir, site)
  await mkdir(join(site, 'node_modules'))
  await symlink(join(root, 'node_modules/vitest'), join(site, 'node_modules/vitest'))
  const env = { ...process.env, APP_DIR: site }
  written = await run(process.execPath, [program('web/build/types-cli'), '--if-present'], { cwd: site, env })
  typed = await compile()
  await buildApp(site)
  stack = await startEmbedded({ appDir: site, env: { SITE_NAME: 'Harbour' } })
})

afterAll(async () => {
  await stack?.stop()
  await folder?.remove()
})

describe('the template', () => {
  test('F1 has types that one command writes before it was ever built', async () => {
    expect(written).toEqual({ code: 0, output: '' })
    expect(typed).toEqual({ code: 0, output: '' })
  })

  test('F1 reports a link to a page that does not exist', async () => {
    const page = join(site, 'pages/wrong.tsx')
    await writeFile(page, 'import { Link } from \'portico\'\nexport default () => <Link href="/guestbok" />\n')
    const { code, output } = await compile()
    await rm(page)
    expect(code).not.toBe(0)
    expect(output).toMatch(/^pages\/wrong\.tsx\(2,\d+\): error .*"\/guestbok"/)
  })

  test('O1 O8 starts without being installed, under the name that the environment gives it', async () => {
    const baseUrl = stack?.baseUrl ?? ''
    expect((await send(baseUrl, '/')).text).toContain('<title>Harbour</title>')
    expect((await send(baseUrl, '/book')).headers.location).toBe('/guestbook')
  })
})

describeSite('as it was made', { site: { ...STARTER, title: 'Harbour' }, baseUrl: () => stack?.baseUrl ?? '' })
