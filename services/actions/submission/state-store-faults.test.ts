// Every fault of the state Redis at the worst moment, when a response is about to be kept: the client gets its
// response, and no line of the log holds a cookie, a response, or a password (A9, E4).

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { hasRedis, type RedisServer, startRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRedisStore, createStateRedis } from '../store/redis-store.ts'
import type { SubmissionStore } from '../store/submission-store.ts'
import { callAction, createKey } from '../testing/requests.ts'
import { currentContext, startActions } from '../testing/start-actions.ts'

const CANARY = 'canary-of-the-faults'

interface Fault {
  server: RedisServer
  admin: Redis
}

/** Name, fault, expected log text. */
const FAULTS: [string, (fault: Fault) => unknown, RegExp][] = [
  ['has stopped', ({ server }) => server.stop(), /ECONNREFUSED|Connection is closed|isn't writeable/],
  ['is frozen', ({ server }) => server.pause(), /Command timed out/],
  ['is full', ({ admin }) => admin.config('SET', 'maxmemory', '1'), /OOM/],
  ['takes no writes', ({ admin }) => admin.replicaof('127.0.0.1', 1), /READONLY/],
  ['lost its scripts', ({ admin }) => admin.script('FLUSH'), /^(?!.*response of a submission not stored)/s],
  ['allows no scripts', ({ admin }) => admin.acl('SETUSER', 'default', '-eval', '-evalsha'), /NOPERM/],
  [
    'wants a password',
    async ({ admin }) => {
      await admin.config('SET', 'requirepass', 'another')
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    },
    /NOAUTH|Connection is closed|isn't writeable/,
  ],
]

describe.skipIf(!hasRedis())('a state store that', () => {
  it.each(FAULTS)(
    'A9 %s costs no response, and the log contains no part of the response',
    async (_what, begin, expected) => {
      const server = await startRedis()
      onTestFinished(() => server.stop())
      const admin = new Redis(server.url.href)
      admin.on('error', () => {
        // Some faults also affect the admin connection.
      })
      onTestFinished(() => admin.disconnect())
      await admin.ping()
      const lines: string[] = []
      const log = createLog('actions', 'info', { write: (line: string) => void lines.push(line) })
      const redis = createStateRedis(server.url, { log, commandTimeoutMs: 300 })
      await new Promise((done) => redis.once('ready', done))
      const service = await startActions({
        store: (deps): SubmissionStore => createRedisStore(redis, deps),
        waiting: { storeWaitMs: 100 },
        actions: {
          enter: async () => {
            currentContext().setCookies.push(`session=${CANARY}`)
            await begin({ server, admin })
            await new Promise((done) => setTimeout(done, 20))
            // The location is an argument of the failing command.
            redirect(`/there?token=${CANARY}`)
          },
        },
      })
      onTestFinished(() => service.stop())
      const response = await callAction(service.url, 'enter', [CANARY], { key: createKey() })
      expect(await response.json()).toMatchObject({ kind: 'redirect', location: `/there?token=${CANARY}` })
      await callAction(service.url, 'enter', [CANARY], { key: createKey() })
      server.resume()
      const text = lines.join('') + JSON.stringify(service.lines)
      expect(text).toMatch(expected)
      expect(text).not.toContain(CANARY)
    },
  )

  it('A9 restarts costs no submission: each waits for the store, and runs once', async () => {
    const server = await startStackRedis('redis-state')
    onTestFinished(() => server.stop())
    const redis = createStateRedis(server.urlOf('actions'), { log: createLog('actions', 'silent') })
    await new Promise((done) => redis.once('ready', done))
    const runs: unknown[] = []
    const service = await startActions({
      store: (deps): SubmissionStore => createRedisStore(redis, deps),
      actions: { add: (name) => void runs.push(name) },
    })
    onTestFinished(() => service.stop())
    const names = Array.from({ length: 8 }, (_, index) => index)
    const keys = names.map(createKey)
    const headers = { 'portico-fresh': 'none' }
    const send = () => names.map((name) => callAction(service.url, 'add', [name], { key: keys[name]!, headers }))
    const sent: Promise<Response>[] = []
    await server.restart(async () => {
      // A second arrival of each submission waits as well.
      sent.push(...send(), ...send())
      await new Promise((done) => setTimeout(done, 50))
    })
    const responses = [...(await Promise.all(sent)), ...(await Promise.all(send()))]
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 200))
    expect(runs.toSorted()).toEqual(names)
  })

  it('O9 refuses the password of its address is reported without the password', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const admin = new Redis(server.url.href)
    await admin.config('SET', 'requirepass', 'another')
    admin.disconnect()
    const stateRedisUrl = new URL(`redis://:${CANARY}@127.0.0.1:${server.port}`)
    const lines: string[] = []
    const log = createLog('actions', 'info', { write: (line: string) => void lines.push(line) })
    const redis = createStateRedis(stateRedisUrl, { log })
    onTestFinished(() => redis.disconnect())
    await expect.poll(() => lines.join('')).toMatch(/WRONGPASS|NOAUTH/)
    const error = await openSecrets(
      { stateRedisUrl, dataDir: '.', stackToken: undefined, actionKeys: [] },
      log,
      200,
    ).catch((thrown: unknown) => thrown)
    log.fatal({ error }, (error as Error).message)
    expect(lines.join('')).not.toContain(CANARY)
  })
})
