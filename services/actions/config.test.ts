// The service's settings (W5).

import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { describe, expect, it } from 'vitest'
import { readActionsConfig } from './config.ts'

const KEY = 'k'.repeat(32)

describe('the configuration', () => {
  it('W5 has defaults for everything', () => {
    const config = readActionsConfig({})
    expect(config).toMatchObject({ port: 8080, innerPort: 9090, publicOrigins: [], actionKeys: [] })
    expect(config.rendererInnerUrls.map(String)).toEqual(['http://renderer:9090/'])
    expect(config.stateRedisUrl).toBeUndefined()
  })

  it('W5 reads what is set', () => {
    const config = readActionsConfig({
      RENDERER_URL: 'http://127.0.0.1:3001',
      ...fromStack({ innerUrls: { renderer: ['http://127.0.0.1:3002', 'http://127.0.0.1:3003'] }, appPort: 80 }),
      STATE_REDIS_URL: 'redis://state:6379',
      PUBLIC_ORIGINS: 'https://Example.org, http://localhost:8080',
      ACTION_KEYS: `${KEY}1,${KEY}2`,
      STACK_TOKEN: KEY,
    })
    expect(config.rendererInnerUrls.map(({ port }) => port)).toEqual(['3002', '3003'])
    expect(config.appPort).toBe(80)
    expect(config.publicOrigins).toEqual(['https://example.org', 'http://localhost:8080'])
    expect(config.actionKeys).toEqual([`${KEY}1`, `${KEY}2`])
    expect(config.stateRedisUrl?.host).toBe('state:6379')
  })

  it('C6 W5 reads the destination of purges, and keeps what may hold a secret out of the message', () => {
    const purge = { CDN_PURGE_URL: 'https://cdn.example/purge?key=secret', CDN_PURGE_AUTHORIZATION: 'Bearer secret' }
    const config = readActionsConfig({ CDN_TAGS: 'on', ...purge })
    expect(config.cdnPurge).toEqual({ url: new URL(purge.CDN_PURGE_URL), authorization: 'Bearer secret' })
    expect(readActionsConfig({ CDN_TAGS: 'on' }).cdnPurge).toBeUndefined()
    for (const value of ['https://user:secret@cdn.example/', 'ftp://cdn.example/secret'])
      expect(() => readActionsConfig({ CDN_TAGS: 'on', CDN_PURGE_URL: value })).toThrow(
        /^CDN_PURGE_URL="\(\d+ characters\)/,
      )
  })

  it.each([
    ['ACTION_KEYS', 'short'],
    ['STACK_TOKEN', 'short'],
    ['PUBLIC_ORIGINS', 'example.org'],
    ['PUBLIC_ORIGINS', 'https://example.org/path'],
    ['PUBLIC_ORIGINS', 'https://example.org/'],
    ['PUBLIC_ORIGINS', 'ftp://example.org'],
    ['STATE_REDIS_URL', 'http://state'],
    ['RENDERER_URL', 'renderer'],
    // Without CDN_TAGS no page has a tag.
    ['CDN_PURGE_URL', 'https://cdn.example/purge'],
    ['CDN_TAGS', 'yes'],
    ['CDN_PURGE_AUTHORIZATION', 'Bearer é'],
  ])('W5 refuses %s=%s by name', (name, value) => {
    expect(() => readActionsConfig({ [name]: value })).toThrow(name)
  })
})
