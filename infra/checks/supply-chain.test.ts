// What images are made of, and what their containers may start (O2): base images by argument, labels, limits.

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@portico/stack/service-names.ts'
import { describe, expect, test } from 'vitest'
import { readCompose, withDefaults } from './manifests.ts'
import { root } from './sources.ts'

const STARTER = 'web/build/create/starter'
const DOCKERFILES = ['docker/Dockerfile', `${STARTER}/Dockerfile`]
const BAKE_FILES = ['docker/docker-bake.hcl', `${STARTER}/docker-bake.hcl`]
const COMPOSE_FILES = globSync(['docker-compose.yml', 'docker/compose.*.yml', `${STARTER}/docker-compose.yml`], {
  cwd: root,
})
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** Names of the arguments of a Dockerfile that images receive from outside. */
const argumentsOf = (dockerfile: string) => [...new Set(dockerfile.match(/\b(?:NODE_IMAGE|LABEL_[A-Z]+)\b/g))].sort()

describe.each(DOCKERFILES)('%s', (file) => {
  const text = read(file)
  const stages = new Set([...text.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name))

  test('O2 takes every base image from an argument, whose default is a tag', () => {
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base)
    expect(bases.filter((base) => !stages.has(base) && !/^(scratch|\$\{NODE_IMAGE\})$/.test(base))).toEqual([])
    const first = text.indexOf('\nFROM ')
    expect(text.slice(0, first)).toMatch(/^ARG NODE_IMAGE=node:[\w.-]+$/m)
    expect(text).not.toMatch(/^(FROM|COPY --from=)\S*[:@]/m)
  })

  test('O2 gives the images of all services the labels, each from its argument', () => {
    const service = text.slice(text.indexOf('FROM scratch AS service'), text.indexOf('FROM service AS gateway'))
    for (const label of ['source', 'revision', 'created', 'version', 'licenses'])
      expect(service).toContain(`org.opencontainers.image.${label}="\${LABEL_${label.toUpperCase()}}"`)
    for (const name of SERVICE_NAMES)
      expect(text).toContain(`FROM service AS ${name}\nLABEL org.opencontainers.image.title="Portico ${name}"\n`)
  })

  test('O2 removes npm and apt before the layer of the services is made, not above it', () => {
    const trimmed = text.slice(text.indexOf(' AS trimmed'), text.indexOf('FROM scratch AS service'))
    expect(trimmed).toMatch(/rm -rf lib\/node_modules .*bin\/npm bin\/npx/s)
    expect(trimmed).toContain('dpkg --purge --force-all apt')
    // A failed command must fail the build.
    expect(trimmed).not.toContain('||')
    expect(text).toContain('FROM scratch AS service\nCOPY --from=trimmed / /\n')
  })
})

describe('arguments of the images', () => {
  const known = argumentsOf(read('docker/Dockerfile'))

  test.each(['docker-compose.yml', `${STARTER}/docker-compose.yml`])('O2 %s passes all of them', (file) => {
    for (const name of SERVICE_NAMES)
      expect(Object.keys(readCompose(file).services[name]?.build?.args ?? {}).sort()).toEqual(known)
  })

  test.each(BAKE_FILES)(
    'O2 %s passes all of them, builds each service for two architectures, and was not run',
    (file) => {
      const text = read(file)
      expect(argumentsOf(text.slice(text.indexOf('  args = {')))).toEqual(known)
      expect(text).toContain(`["${['gateway', 'renderer', 'images', 'actions'].join('", "')}"]`)
      expect(text).toContain('platforms  = ["linux/amd64", "linux/arm64"]')
      expect(text).toContain('it was never run')
      const [, tag] = /^ARG NODE_IMAGE=(.*)$/m.exec(read('docker/Dockerfile')) ?? []
      expect(text).toContain(`variable "NODE_IMAGE" { default = "${tag}" }`)
    },
  )

  const hasBuildx = spawnSync('docker', ['buildx', 'version']).status === 0
  test.skipIf(!hasBuildx).each(BAKE_FILES)('O2 buildx reads %s', (file) => {
    const cwd = file.startsWith('docker/') ? root : join(root, STARTER)
    const args = ['buildx', 'bake', '--print', '-f', join(root, file)]
    const { stdout, stderr } = spawnSync('docker', args, {
      cwd,
      encoding: 'utf8',
      // Nothing else: every variable of a bake file can be set from outside, and a collector of traces would be waited for.
      env: { PATH: process.env.PATH, REGISTRY: 'registry.example.org/', TAG: '1.0.0', LABEL_VERSION: '1.0.0' },
    })
    const { target } = JSON.parse(stdout || JSON.stringify({ target: stderr })) as { target: Record<string, object> }
    expect(Object.keys(target).sort()).toEqual([...SERVICE_NAMES].sort())
    expect(target.images).toMatchObject({
      target: 'images',
      tags: ['registry.example.org/portico-images:1.0.0'],
      platforms: ['linux/amd64', 'linux/arm64'],
      args: { LABEL_VERSION: '1.0.0' },
    })
  })

  test('O2 compose.pinned.yml requires a digest for every image of the stack, of the same tags', () => {
    const [own, pinned] = [readCompose('docker-compose.yml'), readCompose('docker/compose.pinned.yml')]
    expect(Object.keys(pinned.services).sort()).toEqual(Object.keys(own.services).sort())
    for (const [name, { image, build }] of Object.entries(pinned.services)) {
      const { image: ownImage, build: ownBuild } = own.services[name] ?? {}
      const [given = '', used = ''] = [build?.args?.NODE_IMAGE ?? image, ownBuild?.args?.NODE_IMAGE ?? ownImage]
      expect(given, name).toMatch(/^[\w.:-]+@\$\{(NODE|REDIS)_DIGEST:\?.+\}$/)
      expect(given.split('@')[0], name).toBe(withDefaults(used))
    }
  })
})

describe('limits on processes', () => {
  const layers = COMPOSE_FILES.filter((file) => !/pinned|cores/.test(file))

  test.each(layers)('O2 every service that %s starts has one, with room above what was counted', (file) => {
    const own = readCompose('docker-compose.yml').services
    const services = Object.entries(readCompose(file).services)
    // A layer that changes a service of docker-compose.yml leaves its limit.
    for (const [name, service] of services)
      expect(service.pids_limit ?? own[name]?.pids_limit, name).toBeGreaterThanOrEqual(64)
  })

  test('O2 images has room for 26 encoders of 18 threads, and its own', () => {
    expect(readCompose('docker-compose.yml').services.images?.pids_limit).toBeGreaterThan(27 + 26 * 18)
  })
})
