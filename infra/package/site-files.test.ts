import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_FLAGS } from '@portico/stack/node-flags.ts'
import { SERVICE_NAMES } from '@portico/stack/service-names.ts'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../checks/sources.ts'
import { REPOSITORY_FILES, SITE_FILES } from './site-files.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { compose, dockerfile, bake } = REPOSITORY_FILES
const repository = { compose: read(compose), dockerfile: read(dockerfile), bake: read(bake) }

describe("the files of a site's containers", () => {
  test.each(Object.entries(SITE_FILES))('K4 %s is made from the file of this repository', (file, write) => {
    // Written by infra/package/site-files-cli.ts.
    expect(read(file)).toBe(write(read(file), repository))
  })

  test('O2 the services of a site differ from those of this repository in nothing but their build', () => {
    const site = parse(read('web/build/create/starter/docker-compose.yml'), { merge: true })
    const own = parse(repository.compose, { merge: true })
    for (const name of SERVICE_NAMES) {
      const { args } = own.services[name].build
      expect(site.services[name].build).toEqual({ context: '.', target: name, args })
      delete site.services[name].build
      delete own.services[name].build
    }
    expect(site).toEqual({ ...own, name: undefined, 'x-build': { context: '.', args: own['x-build'].args } })
    // Compose names the project after the folder: two sites on one machine have their own volumes.
    expect(site).not.toHaveProperty('name')
  })

  test.each(SERVICE_NAMES)('O2 the container of %s starts Node as the stack does', (name) => {
    const command = JSON.stringify(['node', ...NODE_FLAGS[name], `/app/services/${name}/main.js`])
    expect(repository.dockerfile).toContain(`CMD ${command.replaceAll('","', '", "')}\n`)
  })

  test('K4 a site is built from its own lock file, with its packages of development', () => {
    const [build = ''] = read('web/build/create/starter/Dockerfile').split('\n# ---- the services')
    expect(build).toMatch(/^COPY package\.json package-lock\.json /m)
    expect(build).toMatch(/ npm ci$/m)
    expect(build).not.toContain('NODE_ENV')
  })

  test('K1 a site never requests the name portico from a registry', () => {
    expect(read('web/build/create/starter/Dockerfile')).not.toMatch(/\b(npx|npm exec)\b(?! --no\b).*portico/)
  })
})
