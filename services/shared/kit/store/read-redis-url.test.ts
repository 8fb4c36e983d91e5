import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, type ConfigFault, type Environment, readConfig } from '../config/config.ts'
import { SETTINGS } from '../config/settings.ts'
import { readRedisUrl } from './read-redis-url.ts'
import { maskRedisUrl, parseRedisUrl } from './redis-address.ts'

const readState = (environment: Environment) =>
  readConfig(environment, (read) => ({ url: readRedisUrl(read, 'STATE') })).url

function faultsOf(environment: Environment, store: 'STATE' | 'CACHE' = 'STATE'): readonly ConfigFault[] {
  try {
    readConfig(environment, (read) => ({ url: readRedisUrl(read, store) }))
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('the address of a Redis', () => {
  it.each([
    [
      'redis://actions:pa%40ss@redis-state:6380/2',
      { kind: 'single', isTls: false, username: 'actions', password: 'pa@ss', database: 2 },
      ['redis-state:6380'],
    ],
    ['rediss://[::1]', { kind: 'single', isTls: true, username: undefined, password: undefined }, ['::1:6379']],
    ['redis://:secret@h/', { kind: 'single', username: undefined, password: 'secret', database: 0 }, ['h:6379']],
    [
      'redis+sentinel://actions:a:b@s-1,s-2:26380/portico.state',
      { kind: 'sentinel', isTls: false, username: 'actions', password: 'a:b', name: 'portico.state', replicas: 1 },
      ['s-1:26379', 's-2:26380'],
    ],
    [
      'rediss+sentinel://s/m?replicas=2&sentinelUsername=u&sentinelPassword=a%26b',
      { kind: 'sentinel', isTls: true, name: 'm', replicas: 2, sentinelUsername: 'u', sentinelPassword: 'a&b' },
      ['s:26379'],
    ],
    [
      'redis+cluster://u@10.0.0.1,10.0.0.2:7000',
      { kind: 'cluster', username: 'u', replicas: 1 },
      ['10.0.0.1:6379', '10.0.0.2:7000'],
    ],
    ['rediss+cluster://h?replicas=0', { kind: 'cluster', isTls: true, replicas: 0 }, ['h:6379']],
  ])('W5 %s is read', (text, expected, hosts) => {
    const address = parseRedisUrl(text)
    expect(address).toMatchObject(expected)
    expect('hosts' in address && address.hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(hosts)
  })

  it.each([
    ['http://h', /^redis:\/\/user@host:6379, redis\+sentinel:/],
    ['redis+tls://h', /^redis:\/\/user@host/],
    ['redis://u:%zz@h', /^redis:\/\/user@host/],
    ['redis://h#x', /^redis:\/\/user@host/],
    ['redis://', /hosts are host or host:port/],
    ['redis://h:0', /hosts are host or host:port/],
    ['redis+cluster://h1,,h2', /hosts are host or host:port/],
    ['redis+cluster://h1:70000', /hosts are host or host:port/],
    ['redis://h1,h2', /redis\+cluster:\/\/ or redis\+sentinel:/],
    ['redis://h/name', /number of a database/],
    ['redis://h?family=6', /without options/],
    ['redis+sentinel://h1,h2', /with the name of the master/],
    ['redis+sentinel://h/a/b', /^redis:\/\/user@host/],
    ['redis+sentinel://h/m?role=slave', /no other options than replicas, sentinelUsername, sentinelPassword/],
    ['redis+sentinel://h/m?sentinelPassword=%zz', /sentinelPassword is percent-encoded/],
    ['redis+cluster://h/0', /without a path/],
    ['redis+cluster://h?replicas=9', /replicas are 0 to 5/],
  ])('W5 %s is refused with its rule', (text, rule) => {
    expect(faultsOf({ STATE_REDIS_URL: text })).toMatchObject([
      { name: 'STATE_REDIS_URL', rule: expect.stringMatching(rule) },
    ])
  })

  it('W5 an address of the cache has no replicas, which confirm submissions', () => {
    expect(faultsOf({ CACHE_REDIS_URL: 'redis+cluster://h?replicas=1' }, 'CACHE')).toMatchObject([
      { name: 'CACHE_REDIS_URL', value: 'redis+cluster://h?replicas=***' },
    ])
  })

  it.each([
    ['redis+sentinel://actions:CANARY@h1,h2', 'redis+sentinel://actions:***@h1,h2'],
    ['redis://:CANARY@h/x', 'redis://:***@h/x'],
    ['redis://u:CAN@ARY@h/x', 'redis://u:***@h/x'],
    ['redis://u:CANARY/?#@h/x', 'redis://u:***@h/x'],
    [
      'redis+sentinel://u@h/m?sentinelPassword=CANARY&replicas=9',
      'redis+sentinel://u@h/m?sentinelPassword=***&replicas=***',
    ],
    ['redis+sentinel://u@h/m?replica=9', 'redis+sentinel://u@h/m?replica=***'],
    // The place of the password is not known.
    ['redis://u:CANARY', undefined],
    ['CANARY@h', undefined],
    ['redis:/u:CANARY@h', undefined],
    ['redis+sentinel://h/CANARY%20?x', undefined],
    ['redis+sentinel://h/m?sentinelPassword=a&CANARY', undefined],
    ['redis+sentinel://h/m?sentinelPassword=a&CANARY=&replicas=1', undefined],
  ])('O9 a message about %s has no password', (text, shown) => {
    expect(maskRedisUrl(text)).toBe(shown)
    const [fault] = faultsOf({ STATE_REDIS_URL: text })
    expect(fault?.value).toBe(shown ?? `(${text.length} characters)`)
  })
})

describe('the password of a Redis', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-config-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileOf = (text: string) => {
    const file = join(folder, 'password')
    writeFileSync(file, text)
    return file
  }

  it.each(['redis://actions@redis-state:6379', 'redis+sentinel://actions@s1,s2/m', 'redis+cluster://actions:@h1,h2'])(
    'W5 is in %s with all characters of its file, without the last line break',
    (text) => {
      const password = ' p%40 @:/?#"ß$&'
      const url = readState({ STATE_REDIS_URL: text, STATE_REDIS_PASSWORD_FILE: fileOf(`${password}\n`) })
      expect(parseRedisUrl(url?.href ?? '')).toMatchObject({ username: 'actions', password })
      expect(`actions@${url?.host}`).toBe(text.replace(/^.*\/\/|(?<=s2)\/m$/g, '').replace(':@', '@'))
    },
  )

  it('W5 is that of the address without a password file', () => {
    expect(readState({ STATE_REDIS_URL: 'redis://:secret@redis-state:6379' })?.href).toBe(
      'redis://:secret@redis-state:6379',
    )
  })

  it.each([
    ['a file that is missing', 'redis://actions@h', undefined],
    ['an empty file', 'redis://actions@h', '\n'],
    ['two passwords', 'redis://actions:secret@h', 'other'],
    ['a password without an address', '', 'secret'],
  ])('W5 refuses %s, and names the file without its text', (_what, address, text) => {
    const file = text === undefined ? join(folder, 'missing') : fileOf(text)
    const environment = { STATE_REDIS_URL: address, STATE_REDIS_PASSWORD_FILE: file }
    const { rule } = SETTINGS.STATE_REDIS_PASSWORD_FILE
    expect(faultsOf(environment)).toEqual([{ name: 'STATE_REDIS_PASSWORD_FILE', value: file, rule }])
  })
})
