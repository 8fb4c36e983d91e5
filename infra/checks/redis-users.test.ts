// The rights of each service in the two Redis: the manifests give each service its own user, and a real server with the
// configuration of docker-compose.yml refuses everything that is not on the list (O2, O3).

import { once } from 'node:events'
import { connect } from 'node:net'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KubernetesObject, readCompose, readKubernetes } from './manifests.ts'

const USERS = {
  gateway: { store: 'redis-state', setting: 'STATE_REDIS' },
  renderer: { store: 'redis-state', setting: 'STATE_REDIS' },
  actions: { store: 'redis-state', setting: 'STATE_REDIS' },
  images: { store: 'redis-cache', setting: 'CACHE_REDIS' },
} as const
type User = keyof typeof USERS
const NAMES = Object.keys(USERS) as User[]
const usersOf = (store: string) => NAMES.filter((name) => USERS[name].store === store)
const fileOf = (user: string) => `/run/redis/${user}/password`
const settingsOf = (user: User) => ({
  [`${USERS[user].setting}_URL`]: `redis://${user}@${USERS[user].store}:6379`,
  [`${USERS[user].setting}_PASSWORD_FILE`]: fileOf(user),
})

describe('passwords of Redis', () => {
  const compose = readCompose('docker-compose.yml')
  const volumesOf = (name: string) =>
    (compose.services[name]?.volumes ?? []).filter((volume) => String(volume).startsWith('password-'))

  test.each(NAMES)('O2 %s has a volume with its own password and no other, under compose', (user) => {
    expect(compose.services[user]?.environment).toMatchObject(settingsOf(user))
    expect(volumesOf(user)).toEqual([`password-${user}:/run/redis/${user}:ro`])
  })

  test.each(['redis-cache', 'redis-state'])(
    'O2 %s reads the passwords of its own users only, under compose',
    (store) => {
      expect(volumesOf(store)).toEqual(usersOf(store).map((user) => `password-${user}:/run/redis/${user}:ro`))
      expect(compose.services[store]?.depends_on).toEqual({
        'redis-passwords': { condition: 'service_completed_successfully' },
      })
      expect(compose.services['redis-passwords']).toMatchObject({ network_mode: 'none', cap_drop: ['ALL'] })
    },
  )

  const swarm = readCompose('infra/swarm/stack.yml')
  const secretsOf = (name: string) =>
    (swarm.services[name]?.secrets ?? []).filter((secret) => typeof secret === 'object')
  const secretOf = (user: string) => ({ source: `redis_${user}`, target: fileOf(user) })

  test.each(NAMES)('O3 %s has a secret with its own password and no other, under Swarm', (user) => {
    expect(swarm.services[user]?.environment).toMatchObject(settingsOf(user))
    expect(secretsOf(user)).toEqual([secretOf(user)])
    expect(secretsOf(USERS[user].store)).toEqual(usersOf(USERS[user].store).map(secretOf))
    const name = `portico_redis_${user}_\${REDIS_PASSWORDS:-1}`
    expect(swarm.secrets?.[`redis_${user}`]).toEqual({ external: true, name })
  })

  const pods = readKubernetes().flatMap(({ metadata, spec }: KubernetesObject) =>
    spec?.template ? [{ name: metadata.name, pod: spec.template.spec }] : [],
  )
  /** The files of the Secret as a pod sees them: path and key. */
  const filesOf = (name: string) => {
    const pod = pods.find((each) => each.name === name)?.pod
    return (pod?.volumes ?? []).flatMap(({ name: volume, secret }) => {
      if (!secret) return []
      expect(secret).toMatchObject({ secretName: 'portico-redis', defaultMode: 0o440 })
      const mount = pod?.containers[0]?.volumeMounts?.find((each) => each.name === volume)
      expect(mount?.readOnly).toBe(true)
      return secret.items.map(({ key, path }) => ({ key, file: `${mount?.mountPath}/${path}` }))
    })
  }

  test.each(NAMES)('O3 %s has a file with its own password and no other, under Kubernetes', (user) => {
    const env = pods.find((each) => each.name === user)?.pod.containers[0]?.env ?? []
    expect(Object.fromEntries(env.map(({ name, value }) => [name, value]))).toMatchObject(settingsOf(user))
    expect(filesOf(user)).toEqual([{ key: user, file: fileOf(user) }])
    expect(filesOf(USERS[user].store)).toEqual(usersOf(USERS[user].store).map((key) => ({ key, file: fileOf(key) })))
  })

  test('O3 no file of the repository contains a password of Redis', () => {
    const text = JSON.stringify([compose, swarm, readKubernetes()])
    expect(text).not.toMatch(/redis:\/\/\w*:|requirepass|nopass(?! \+ping\\\\?n)|[#>][\da-f]{32}/)
  })
})

/** The commands that no service may use, each with arguments that Redis would accept. */
const FORBIDDEN = [
  ['CONFIG', 'GET', '*'],
  ['CONFIG', 'SET', 'dir', '/tmp'],
  ['CONFIG', 'REWRITE'],
  ['KEYS', '*'],
  ['SCAN', '0'],
  ['RANDOMKEY'],
  ['DBSIZE'],
  ['FLUSHALL'],
  ['FLUSHDB'],
  ['DEBUG', 'SLEEP', '0'],
  ['SHUTDOWN', 'NOSAVE'],
  ['ACL', 'LIST'],
  ['ACL', 'WHOAMI'],
  ['MONITOR'],
  ['MODULE', 'LIST'],
  ['REPLICAOF', 'NO', 'ONE'],
  ['SLAVEOF', 'NO', 'ONE'],
  ['SYNC'],
  ['PSYNC', '?', '-1'],
  ['SCRIPT', 'FLUSH'],
  ['SCRIPT', 'KILL'],
  ['FUNCTION', 'LIST'],
  ['FUNCTION', 'FLUSH'],
  ['SAVE'],
  ['BGSAVE'],
  ['BGREWRITEAOF'],
  ['SWAPDB', '0', '1'],
  ['SELECT', '1'],
  ['MIGRATE', '127.0.0.1', '1', 'k', '0', '1'],
  ['CLIENT', 'LIST'],
  ['CLIENT', 'KILL', 'ID', '1'],
  ['CLIENT', 'PAUSE', '1'],
  ['CLIENT', 'NO-EVICT', 'on'],
  ['PUBSUB', 'CHANNELS'],
  ['PSUBSCRIBE', '*'],
  ['SLOWLOG', 'GET'],
  ['LATENCY', 'LATEST'],
  ['MEMORY', 'DOCTOR'],
  ['COMMAND', 'DOCS'],
  ['OBJECT', 'FREQ', 'k'],
  ['DUMP', 'k'],
  ['RESTORE', 'k', '0', 'x'],
  ['SORT', 'k'],
  ['EVAL', "return redis.call('KEYS', '*')", '0'],
  ['EVAL', "return redis.call('FLUSHALL')", '0'],
  ['EVAL', "return redis.call('CONFIG', 'GET', '*')", '0'],
]

/** Redis' refusals by a user's rules; a script and DEBUG have other texts. */
const REFUSAL = /^-(NOPERM|NOAUTH)|ACL failure in script|user executing the script can't run|not allowed/

/** One key of each owner, a command that reads it and one that changes it. */
const KEYS = [
  { key: 'portico:file:static/a.js', read: ['HGET', 'entry'], write: ['HSET', 'entry', 'x'] },
  { key: 'portico:secret:action-key', read: ['GET'], write: ['SET', 'x'] },
  { key: 'portico:secret:stack-token', read: ['GET'], write: ['SET', 'x'] },
  { key: 'portico:marks:head', read: ['HMGET', 'epoch'], write: ['HSET', 'epoch', 'x'] },
  { key: 'portico:marks', read: ['ZRANGEBYSCORE', '0', '1'], write: ['ZADD', '1', 'x'] },
  { key: 'portico:limit:post:x', read: ['GET'], write: ['SET', 'x'] },
  { key: 'portico:submission:1', read: ['GET'], write: ['SET', 'x'] },
  { key: 'someone-else', read: ['GET'], write: ['SET', 'x'] },
] as const
const MAY: Record<string, Partial<Record<User, 'read' | 'write'>>> = {
  'portico:file:static/a.js': { gateway: 'write' },
  'portico:secret:action-key': { renderer: 'write', actions: 'write' },
  'portico:secret:stack-token': { gateway: 'write', renderer: 'write', actions: 'write' },
  'portico:marks:head': { gateway: 'write', renderer: 'read', actions: 'write' },
  'portico:marks': { gateway: 'write', renderer: 'read', actions: 'write' },
  'portico:limit:post:x': { gateway: 'write', actions: 'write' },
  'portico:submission:1': { actions: 'write' },
  'someone-else': {},
}

describe.skipIf(!hasRedis())('users of Redis', () => {
  const servers = new Map<string, StackRedis>()
  beforeAll(async () => {
    for (const store of ['redis-state', 'redis-cache'] as const) servers.set(store, await startStackRedis(store))
  })
  afterAll(async () => {
    for (const server of servers.values()) await server.stop()
  })

  const as = (user: User) => servers.get(USERS[user].store)!.urlOf(user)
  /** `ok`, `refused` by the users' rules, or the reply of Redis. Each command has its own connection. */
  const verdict = async (url: URL, command: readonly string[]) => {
    const reply = await lastReply(url, url.username ? [['AUTH', url.username, url.password], command] : [command])
    return REFUSAL.test(reply) ? 'refused' : reply.startsWith('-') ? reply : 'ok'
  }
  /** Commands of a list that are not refused, with the reply. */
  const taken = async (url: URL, commands: readonly string[][]) => {
    const verdicts = commands.map(async (command) => ({ command, verdict: await verdict(url, command) }))
    return (await Promise.all(verdicts)).filter((each) => each.verdict !== 'refused')
  }

  test.each(NAMES)('O2 %s is refused every command that is not its own', async (user) => {
    expect(await taken(as(user), FORBIDDEN)).toEqual([])
  })

  test.each(['redis-cache', 'redis-state'])('O2 a client of %s without a password may do nothing', async (store) => {
    const url = new URL(`redis://127.0.0.1:${servers.get(store)?.port}`)
    expect(await taken(url, [['PING'], ['GET', 'k'], ['INFO'], ...FORBIDDEN])).toEqual([])
    for (const password of ['', 'default'])
      expect(await lastReply(url, [['AUTH', 'default', password]])).toMatch(/^-WRONGPASS/)
  })

  test.each(['redis-cache', 'redis-state'])('O2 the health check of %s may PING and nothing else', async (store) => {
    const url = servers.get(store)!.urlOf('health')
    expect(await verdict(url, ['PING'])).toBe('ok')
    const others = [['GET', 'k'], ['INFO'], ['SUBSCRIBE', 'portico:invalidate']]
    expect(await taken(url, [...others, ...FORBIDDEN])).toEqual([])
  })

  test.each(
    NAMES.filter((user) => USERS[user].store === 'redis-state').flatMap((user) =>
      KEYS.map((each) => ({ user, ...each })),
    ),
  )('O2 $user reaches $key only if the key is its own', async ({ user, key, read, write }) => {
    const url = as(user)
    const may = MAY[key]?.[user]
    const verdicts = [
      await verdict(url, [write[0], key, ...write.slice(1)]),
      await verdict(url, [read[0], key, ...read.slice(1)]),
    ]
    expect(verdicts.map((code) => code === 'ok')).toEqual([may === 'write', may !== undefined])
  })

  test('O2 images reaches its own keys only', async () => {
    const url = as('images')
    expect(await verdict(url, ['SET', '{portico-images-1:v:x}', 'x'])).toBe('ok')
    expect(await verdict(url, ['SET', 'portico:secret:stack-token', 'x'])).toBe('refused')
  })

  test('O2 invalidations are published by actions and gateways and received by renderers', async () => {
    expect(await verdict(as('actions'), ['PUBLISH', 'portico:invalidate', '{}'])).toBe('ok')
    expect(await verdict(as('renderer'), ['SUBSCRIBE', 'portico:invalidate'])).toBe('ok')
    expect(await verdict(as('renderer'), ['PUBLISH', 'portico:invalidate', '{}'])).toBe('refused')
    expect(await verdict(as('gateway'), ['PUBLISH', 'portico:invalidate', '{}'])).toBe('ok')
    expect(await verdict(as('gateway'), ['SUBSCRIBE', 'portico:invalidate'])).toBe('ok')
  })

  test.each([
    ['redis-cache', { 'maxmemory-policy': 'allkeys-lru', appendonly: 'no', save: '' }],
    ['redis-state', { 'maxmemory-policy': 'noeviction', appendonly: 'yes', appendfsync: 'always' }],
  ])('O2 %s is configured as its data needs it', async (store, settings) => {
    const url = servers.get(store)!.url
    for (const [name, value] of Object.entries(settings)) {
      const reply = await lastReply(url, [
        ['AUTH', url.username, url.password],
        ['CONFIG', 'GET', name],
      ])
      expect(
        reply
          .split('\r\n')
          .filter((_line, at) => at % 2 === 0)
          .slice(1, 3),
      ).toEqual([name, value])
    }
  })

  test('O2 the state store keeps what a transaction wrote over a restart', async () => {
    const server = servers.get('redis-state')!
    const url = server.urlOf('gateway')
    const { username, password } = url
    const key = 'portico:file:static/kept.js'
    const written = [
      ['AUTH', username, password],
      ['MULTI'],
      ['HSET', key, 'entry', 'x'],
      ['EXPIRE', key, '60'],
      ['EXEC'],
    ]
    expect(await lastReply(url, written)).toMatch(/^\*2\r\n/)
    await server.restart()
    expect(
      await lastReply(url, [
        ['AUTH', username, password],
        ['HGET', key, 'entry'],
      ]),
    ).toBe('$1\r\nx\r\n')
  })

  test('O2 a password opens one user only', async () => {
    const url = servers.get('redis-state')!.urlOf('actions')
    url.password = 'password-of-gateway'
    expect(await lastReply(url, [['AUTH', url.username, url.password]])).toMatch(/^-WRONGPASS/)
  })
})

/** Sends commands one after the other; the last reply, which is short. */
async function lastReply(url: URL, commands: readonly (readonly string[])[]): Promise<string> {
  const socket = connect(Number(url.port), url.hostname).setEncoding('utf8')
  try {
    let reply = ''
    for (const command of commands) {
      const words = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
      socket.write(`*${command.length}\r\n${words.join('')}`)
      ;[reply] = (await once(socket, 'data')) as [string]
    }
    return reply
  } finally {
    socket.destroy()
  }
}
