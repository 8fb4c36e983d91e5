// The containers of a site in its own folder, outside of the repository: built from its lock file, with replicas, and
// next to those of a second site.

import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { currentPackages } from '../../package/current-packages.ts'
import { describeSite } from '../behaviours/http/suite.ts'
import { type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { send } from '../harness/http.ts'
import { copyApp, makeFolder, run, type TemporaryFolder } from '../harness/processes.ts'
import { STARTER } from '../sites/sites.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
/** Compose names the project after the folder. */
const OWN_NAME = { COMPOSE_PROJECT_NAME: '' }

let folder: TemporaryFolder
let second: TemporaryFolder
let stack: ComposeStack

beforeAll(async () => {
  folder = await makeFolder('created')
  second = await makeFolder('created-too')
  await createSite(folder.path)
  stack = await startCompose({ folder: folder.path, settings: OWN_NAME, up: ['--scale', 'images=3'] })
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
  await second?.remove()
})

/** As its author does, but without the packages on this machine: the lock file is enough for the images. */
async function createSite(dir: string): Promise<void> {
  const { createPortico } = await currentPackages()
  await expectSuccess(
    'npm',
    ['exec', '--yes', '--package', createPortico, '--', 'create-portico', basename(dir)],
    dirname(dir),
  )
  await expectSuccess('npm', ['install', '--package-lock-only', '--ignore-scripts'], dir)
}

async function expectSuccess(program: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await run(program, args, { cwd, env: process.env })
  expect(code, output.slice(-4000)).toBe(0)
}

describe('docker compose in the folder of a site', () => {
  describeSite('in its own containers, with three replicas for images', { site: STARTER, baseUrl: () => stack.baseUrl })

  test('O2 runs as many replicas of images as --scale says, and publishes one port', async () => {
    expect(await stack.containers('images')).toHaveLength(3)
    expect(await stack.published()).toEqual(['gateway'])
  })

  test('K4 the images add less than 25 MB to that of Node, and files of the site travel', async () => {
    for (const service of SERVICES) {
      const kilobytes = Number(await stack.compose('exec', '-T', service, 'sh', '-c', 'du -sk /app | cut -f 1'))
      expect(kilobytes, service).toBeLessThan(25_000)
    }
    for (const service of ['renderer', 'actions']) {
      const listed = await stack
        .compose('exec', '-T', service, 'sh', '-c', 'pwd && ls content/notes vendor')
        .catch((error: Error) => error.message)
      expect(listed).toContain('/app/site\n')
      expect(listed).toContain('pages.md')
      // The package is installed where code of the site imports it; here nothing does.
      expect(listed).not.toContain('.tgz')
    }
  })

  test('K4 the images hold a list of packages and labels, and no npm, npx or apt', async () => {
    // The shell of the image reads the first name of `command -v` only.
    const programs = 'for name in npm npx apt apt-get; do command -v $name; done'
    const look = `grep -o "pkg:npm/[^@]*" /app/sbom.cdx.json; ls /app/licenses.txt; ${programs}`
    for (const service of SERVICES) {
      const listed = await stack.compose('exec', '-T', service, 'sh', '-c', `${look}; true`)
      const held = ['pkg:npm/portico', 'pkg:npm/react', '/app/licenses.txt']
      expect(listed.split('\n'), service).toEqual(expect.arrayContaining(held))
      expect(listed, service).not.toMatch(/^\/usr\//m)
      const [container = ''] = await stack.containers(service)
      const label = (name: string) => `{{index .Config.Labels "org.opencontainers.image.${name}"}}`
      expect(await stack.inspect(container, `${label('title')}, ${label('base.name')}`)).toMatch(
        `Portico ${service}, node:26`,
      )
    }
  })

  test('K4 O8 a second site of the same images runs next to it, with its own port, name and data', async () => {
    await copyApp(folder.path, second.path)
    await writeFile(join(second.path, 'site.env'), 'SITE_NAME=Harbour\n')
    const other = await startCompose({ folder: second.path, settings: OWN_NAME })
    try {
      expect((await send(other.baseUrl, STARTER.home.path)).text).toContain('<title>Harbour</title>')
      expect((await send(stack.baseUrl, STARTER.home.path)).text).toContain('<title>Fieldbook</title>')
      const volumesOf = async ({ containers, inspect }: ComposeStack) =>
        inspect((await containers('redis-state'))[0] ?? '', '{{range .Mounts}}{{.Name}} {{end}}')
      const [own, others] = [await volumesOf(stack), await volumesOf(other)]
      expect(own.split(' ').filter((name) => others.split(' ').includes(name))).toEqual([])
    } finally {
      await other.down()
    }
  })
})
