import { describe, expect, it } from 'vitest'
import { ConfigError, type Environment, type Reader, readCommon, readConfig, withoutSecrets } from './config.ts'
import { fromStack } from './from-stack.ts'
import { SETTINGS } from './settings.ts'

function faultsOf(environment: Environment, build: (read: Reader) => object) {
  try {
    readConfig(environment, build)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).faults
  }
}

describe('reading the environment', () => {
  it('W5 returns defaults for unset, empty and blank variables', () => {
    const defaults = readConfig({}, readCommon)
    expect(defaults).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      innerPort: 9090,
      logLevel: 'info',
      drainDelayMs: 1000,
    })
    expect(readConfig({ PORT: '', HOST: '  ', LOG_LEVEL: '' }, readCommon)).toEqual(defaults)
  })

  it('W5 the inner port listens on the address that the stack gives, by default on HOST', () => {
    const hosts = (environment: Environment) => {
      const { host, innerHost } = readConfig(environment, readCommon)
      return [host, innerHost]
    }
    expect(hosts({})).toEqual(['0.0.0.0', '0.0.0.0'])
    expect(hosts({ HOST: '10.0.0.1' })).toEqual(['10.0.0.1', '10.0.0.1'])
    expect(hosts({ HOST: '10.0.0.1', ...fromStack({ innerHost: '127.0.0.1' }) })).toEqual(['10.0.0.1', '127.0.0.1'])
  })

  it('W5 a variable of the stack that the stack has not written is refused', () => {
    for (const PORTICO_STACK of ['on', '{"innerUrls":{"gateway":1}}'])
      expect(faultsOf({ PORTICO_STACK }, readCommon)).toMatchObject([{ name: 'PORTICO_STACK', value: PORTICO_STACK }])
  })

  it('W5 is frozen', () => {
    expect(Object.isFrozen(readConfig({}, readCommon))).toBe(true)
  })

  it.each([
    ['PORT', 'x'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['PORT', '0x50'],
    ['LOG_LEVEL', 'loud'],
    ['DRAIN_DELAY_MS', '60001'],
    ['DRAIN_DEADLINE_MS', '999'],
  ] as const)('W5 refuses %s=%s with name, value and rule', (name, value) => {
    const rule = SETTINGS[name].rule
    expect(faultsOf({ [name]: value }, readCommon)).toEqual([{ name, value, rule }])
    expect(() => readConfig({ [name]: value }, readCommon)).toThrow(`${name}="${value}": must be ${rule}`)
  })

  it('W5 rejects a drain delay as long as the deadline', () => {
    const { rule } = SETTINGS.DRAIN_DELAY_MS
    const fault = { name: 'DRAIN_DELAY_MS', value: '20000', rule }
    expect(faultsOf({ DRAIN_DELAY_MS: '20000' }, readCommon)).toEqual([fault])
    expect(faultsOf({ DRAIN_DELAY_MS: '20000', DRAIN_DEADLINE_MS: '20000' }, readCommon)).toEqual([fault])
    expect(faultsOf({ DRAIN_DELAY_MS: '20000', DRAIN_DEADLINE_MS: '20001' }, readCommon)).toEqual([])
  })

  it('W5 reports all faults together, one line each', () => {
    const build = (read: Reader) => ({
      ...readCommon(read),
      renderer: read.url('RENDERER_URL'),
      state: read.optionalUrl('STATE_REDIS_URL', ['redis:', 'rediss:']),
      token: read.optionalText('STACK_TOKEN', 32),
    })
    const environment = { PORT: 'x', RENDERER_URL: 'https://h', STATE_REDIS_URL: 'http://h', STACK_TOKEN: 'short' }
    expect(faultsOf(environment, build).map(({ name }) => name)).toEqual(Object.keys(environment))
    expect(() => readConfig(environment, build)).toThrow(/^.+\n.+\n.+\n.+$/)
  })

  it('W5 lists are split at commas and trimmed', () => {
    const list = (text?: string) =>
      readConfig({ PUBLIC_ORIGINS: text }, (read) => ({ list: read.list('PUBLIC_ORIGINS') })).list
    expect(list(' https://a.example , ,https://b.example,')).toEqual(['https://a.example', 'https://b.example'])
    expect(list()).toEqual([])
  })

  it('W5 origins are written as URL.origin writes them, and anything more than an origin is refused', () => {
    const build = (read: Reader) => ({ origins: read.origins('PUBLIC_ORIGINS') })
    const { origins } = readConfig({ PUBLIC_ORIGINS: 'https://Example.org, http://localhost:80' }, build)
    expect(origins).toEqual(['https://example.org', 'http://localhost'])
    for (const value of ['example.org', 'https://example.org/', 'https://example.org/a', 'ftp://example.org'])
      expect(faultsOf({ PUBLIC_ORIGINS: value }, build)).toHaveLength(1)
  })

  it('W5 a default that the list has only in words is no value', () => {
    expect(() => readConfig({}, (read) => ({ host: read.text('DATA_DIR') }))).toThrow('DATA_DIR has no default')
  })
})

describe('names', () => {
  const warningsFor = (...names: string[]) => {
    const warnings: string[] = []
    readConfig(
      Object.fromEntries(names.map((name) => [name, 'x'])),
      () => ({}),
      (message) => warnings.push(message),
    )
    return warnings
  }

  it.each([
    ['RENDERER_URI', 'RENDERER_URL'],
    ['PUBLIC_ORIGIN', 'PUBLIC_ORIGINS'],
    ['STACK_TOKENS', 'STACK_TOKEN'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
  ])('W5 warns of %s', (name, near) => {
    expect(warningsFor(name)).toEqual([`the environment has ${name}; did you mean ${near}?`])
  })

  it('W5 ignores variables of a cluster or a shell', () => {
    const others = ['PATH', 'HOME', 'POST', 'HOSTS', 'HOSTNAME', 'KUBERNETES_PORT', 'REDIS_URL', 'GATEWAY_SERVICE_HOST']
    expect(warningsFor(...others, ...Object.keys(SETTINGS))).toEqual([])
  })

  it('F3 a program that serves no request gets no key of the stack and no address of its stores', () => {
    const secrets = {
      ACTION_KEYS: 'k',
      STACK_TOKEN: 't',
      STATE_REDIS_URL: 'redis://:s@h',
      CDN_PURGE_AUTHORIZATION: 'b',
    }
    const others = { PATH: '/bin', SITE_SECRET: 'hush', DATABASE_URL: 'postgres://h', APP_DIR: 'site' }
    expect(withoutSecrets({ ...secrets, ...others })).toEqual(others)
  })

  it('W5 every setting names its rule and the services that read it', () => {
    for (const [name, { rule, help, services }] of Object.entries(SETTINGS)) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/)
      expect(rule.length).toBeGreaterThan(5)
      expect(help).toMatch(/\.$/)
      expect(services.length).toBeGreaterThan(0)
    }
  })
})
