// The stack as Docker Swarm runs it, on this engine alone: deployed, requested, scaled, replaced under steady requests.
// The engine must not be part of a swarm; it is one only while this runs.

import { randomBytes } from 'node:crypto'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { dockerEnvironment } from '../harness/compose-stack.ts'
import { postForm, send } from '../harness/http.ts'
import { startLoad } from '../harness/load.ts'
import { run } from '../harness/processes.ts'
import { FIXTURE } from '../sites/sites.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
/** The fixture keeps its notes in files. */
const STACK_FILES = ['infra/swarm/stack.yml', 'infra/swarm/one-volume.yml']
const name = `portico-swarm-${randomBytes(3).toString('hex')}`
let environment: NodeJS.ProcessEnv
let baseUrl: string
let isManager = false

async function docker(...args: string[]): Promise<string> {
  const { code, output } = await run('docker', args, { cwd: root, env: environment })
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with code ${code}\n${output.slice(-4000)}`)
  return output
}

beforeAll(async () => {
  const port = await freePort()
  baseUrl = `http://127.0.0.1:${port}`
  const settings = { PORT: String(port), TAG: name, COMPOSE_PROJECT_NAME: name, APP_DIR: FIXTURE.appDir }
  environment = { ...dockerEnvironment(), ...settings }
  if ((await docker('info', '--format', '{{.Swarm.LocalNodeState}}')).trim() !== 'inactive')
    throw new Error('this engine is part of a swarm already')
  await docker('compose', 'build')
  for (const service of SERVICES) await docker('tag', `${name}-${service}`, `portico-${service}:${name}`)
  await docker('swarm', 'init', '--advertise-addr', '127.0.0.1')
  isManager = true
  const node = (await docker('info', '--format', '{{.Swarm.NodeID}}')).trim()
  await docker('node', 'update', '--label-add', 'portico.state=true', node)
  const { code, output } = await run('sh', ['infra/swarm/secrets.sh'], { cwd: root, env: environment })
  if (code !== 0) throw new Error(`infra/swarm/secrets.sh ended with code ${code}\n${output}`)
  const files = STACK_FILES.flatMap((file) => ['--compose-file', file])
  await docker('stack', 'deploy', '--resolve-image', 'never', ...files, name)
  await poll('the home page', async () => (await send(baseUrl, '/').catch(() => undefined))?.status === 200)
}, 900_000)

afterAll(async () => {
  if (!isManager) return
  await docker('stack', 'rm', name).catch(() => {})
  await poll(
    'the end of all containers',
    async () => (await docker('ps', '-aq', '--filter', `name=${name}`)).trim() === '',
  )
  await docker('swarm', 'leave', '--force')
  await docker('volume', 'rm', '--force', `${name}_redis-state`, `${name}_site-data`)
  await docker('rmi', ...SERVICES.flatMap((service) => [`portico-${service}:${name}`, `${name}-${service}`]))
}, 300_000)

async function poll(what: string, isThere: () => Promise<boolean>, seconds = 180): Promise<void> {
  for (let attempt = 0; attempt < seconds; attempt++) {
    if (await isThere()) return
    await new Promise((done) => setTimeout(done, 1000))
  }
  const state = await docker('stack', 'ps', '--no-trunc', name).catch(() => '')
  throw new Error(`${what} did not come within ${seconds} s\n${state}`)
}

/** Replicas that a gateway has seen ready, by its log. */
async function readyReplicas(upstream: string): Promise<Set<string>> {
  const log = await docker('service', 'logs', '--raw', `${name}_gateway`)
  const lines = log.split('\n').filter((line) => line.includes('"event":"replica"') && line.includes('"state":"ready"'))
  return new Set(
    lines
      .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as { upstream: string; replica: string })
      .filter((line) => line.upstream === upstream)
      .map((line) => line.replica),
  )
}

describe('on Docker Swarm', () => {
  test('O3 serves pages, images and forms', async () => {
    expect((await send(baseUrl, FIXTURE.detail.path)).text).toContain(FIXTURE.detail.text)
    await poll('an image', async () => {
      const response = await send(baseUrl, imageUrl('', '/pictures/sample.jpg', 640, 75), {
        headers: { accept: 'image/webp' },
      })
      return response.headers['content-type'] === 'image/webp'
    })
    const unique = randomBytes(4).toString('hex')
    const posted = await postForm({ baseUrl, path: '/things/1', fields: { text: unique } })
    expect([posted.status, posted.text.includes(unique)]).toEqual([200, true])
  })

  test('O3 images are scaled separately, and the gateway finds every replica', async () => {
    await docker('service', 'scale', '--detach=false', `${name}_images=3`)
    await poll('three replicas of images', async () => (await readyReplicas('images')).size >= 3)
  })

  test.each(['renderer', 'images'])('O5 every replica of %s is replaced and no request is lost', async (service) => {
    const before = await readyReplicas(service)
    const load = startLoad(baseUrl, ['/', '/items/six', imageUrl('', '/pictures/sample.jpg', 640, 75)])
    await docker('service', 'update', '--force', '--detach=false', `${name}_${service}`)
    await load.stop()
    expect(load.errors).toEqual([])
    expect(Object.keys(load.statuses)).toEqual(['200'])
    await poll('new replicas', async () => (await readyReplicas(service)).size >= before.size + 2)
  })
})
