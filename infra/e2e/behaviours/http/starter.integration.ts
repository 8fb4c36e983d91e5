// The first steps of a site author: `npm run new`, an editor that knows the types, and a site that passes the suite.

import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { send } from '../../harness/http.ts'
import { makeFolder, type Run, run } from '../../harness/processes.ts'
import { STARTER } from '../../sites/sites.ts'
import { describeSite } from './suite.ts'

let folder: Awaited<ReturnType<typeof makeFolder>>
let site: string
let made: Run
let typed: Run
let stack: EmbeddedStack | undefined

const compile = () => run(join(root, 'node_modules/.bin/tsc'), ['-p', site, '--pretty', 'false'], { cwd: site })

beforeAll(async () => {
  folder = await makeFolder('starter')
  site = join(folder.path, 'mysite')
  made = await run(process.execPath, ['web/build/new-site-cli.ts', relative(root, site)], { cwd: root })
  typed = await compile()
  stack = await startEmbedded({ appDir: site, env: { SITE_NAME: 'Harbour' } })
})

afterAll(async () => {
  await stack?.stop()
  await folder?.remove()
})

describe('a new site', () => {
  test('F1 is made by one command, and its types are known before it was ever built', async () => {
    expect(made.code, made.output).toBe(0)
    expect(made.output).toContain(`APP_DIR=${relative(root, site)} npm start`)
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
