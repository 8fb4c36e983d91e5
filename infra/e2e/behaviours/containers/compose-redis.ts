// The two Redis of a running compose stack: commands as one of their users, and tests of the rights of each user.

import { describe, expect, test } from 'vitest'
import type { ComposeStack } from '../../harness/compose-stack.ts'

const STORES = {
  gateway: 'redis-state',
  renderer: 'redis-state',
  actions: 'redis-state',
  images: 'redis-cache',
} as const
type User = keyof typeof STORES
const USERS = Object.keys(STORES) as User[]
/** The whole list is tried on a Redis without containers: infra/checks/redis-users.test.ts. */
const DANGEROUS = [
  'config get *',
  'keys *',
  'flushall',
  'shutdown',
  'acl list',
  'monitor',
  'module list',
  'client list',
]

/** Runs redis-cli in the container of the store, with the password that the service has; its output. */
async function sendToRedis(stack: ComposeStack, user: User, ...command: string[]): Promise<string> {
  const script = 'REDISCLI_AUTH="$(cat "/run/redis/$0/password")" exec redis-cli --user "$0" "$@"'
  const output = await stack.compose('exec', '-T', STORES[user], 'sh', '-c', script, user, ...command)
  return output.trim()
}

/** One value of INFO. */
export async function infoOf(stack: ComposeStack, user: User, name: string): Promise<string | undefined> {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(await sendToRedis(stack, user, 'info', 'everything'))?.[1]?.trim()
}

/** How many keys the store of a user has. */
export async function countKeys(stack: ComposeStack, user: User): Promise<number> {
  return Number(/keys=(\d+)/.exec((await infoOf(stack, user, 'db0')) ?? '')?.[1] ?? 0)
}

/** Registers the tests; `acceptsForms` posts a form of the site. */
export function describeRedisUsers(stack: () => ComposeStack, acceptsForms: () => Promise<boolean>): void {
  describe('the two Redis', () => {
    test.each(['redis-cache', 'redis-state'])('O2 %s gives a client without a password nothing', async (store) => {
      for (const command of [['ping'], ['info'], ['config', 'get', '*'], ['keys', '*'], ['flushall']])
        expect(await stack().compose('exec', '-T', store, 'redis-cli', ...command)).toMatch(/^NOAUTH /)
    })

    test.each(USERS)('O2 %s is refused dangerous commands and the keys of others', async (user) => {
      const script = 'REDISCLI_AUTH="$(cat "/run/redis/$0/password")"; export REDISCLI_AUTH; exec redis-cli --user "$0"'
      const foreign = user === 'gateway' ? 'get portico:secret:action-key' : 'hgetall portico:file:static/a.js'
      const commands = [...DANGEROUS, 'get a-key-of-nobody', foreign]
      const given = `printf '%s\\n' ${commands.map((command) => `'${command}'`).join(' ')} | { ${script}; }`
      const output = await stack().compose('exec', '-T', STORES[user], 'sh', '-c', given, user)
      const lines = output.split('\n').filter((line) => line.trim() !== '')
      expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(commands.map(() => 'NOPERM'))
    })

    test('O2 each service has its own password, and cannot read another', async () => {
      const passwords: string[] = []
      for (const user of USERS) {
        const script = 'ls /run/redis && cat /run/redis/*/password'
        const output = await stack().compose('exec', '-T', user, 'sh', '-c', script)
        const [folder, password = '', ...more] = output.trim().split('\n')
        expect([folder, more]).toEqual([user, []])
        expect(password).toMatch(/^[\da-f]{64}$/)
        passwords.push(password)
      }
      expect(new Set(passwords).size).toBe(USERS.length)
      // Neither the engine's state nor a log contains a password.
      for (const service of [...USERS, 'redis-cache', 'redis-state', 'redis-passwords'])
        for (const container of await stack().containers(service)) {
          const state = await stack().inspect(container, '{{json .}}')
          expect(passwords.filter((password) => state.includes(password))).toEqual([])
        }
      const logs = await stack().compose('logs', '--no-color')
      expect(passwords.filter((password) => logs.includes(password))).toEqual([])
    })

    test('O2 the state store is restarted and keeps its data, and forms are accepted again', async () => {
      const before = await countKeys(stack(), 'actions')
      expect(before).toBeGreaterThan(0)
      await stack().compose('restart', 'redis-state')
      await stack().compose('up', '--wait', '--no-build', '--no-recreate')
      expect(await countKeys(stack(), 'actions')).toBe(before)
      await expect.poll(() => acceptsForms().catch(() => false), { timeout: 30_000 }).toBe(true)
    })

    test('O2 a service that is recreated alone still has its password', async () => {
      await stack().compose('up', '--detach', '--wait', '--no-build', '--no-deps', '--force-recreate', 'actions')
      await expect.poll(() => acceptsForms().catch(() => false), { timeout: 30_000 }).toBe(true)
    })
  })
}
