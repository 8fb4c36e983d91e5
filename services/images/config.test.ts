import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { expect, test } from 'vitest'
import { readImagesConfig } from './config.ts'

const TOKEN = 'a-token-of-at-least-32-characters'

test('W5 reports all faults of its environment together', () => {
  const read = () =>
    readImagesConfig({ SITE_URL: 'x', CACHE_REDIS_URL: 'http://x', IMAGE_SLOTS: '0', STACK_TOKEN: 'short' })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(/STACK_TOKEN=.*SITE_URL=.*CACHE_REDIS_URL=.*IMAGE_SLOTS=/s)
})

test('I7 passes no secret of its environment to encoders', () => {
  const config = readImagesConfig({
    PATH: '/bin',
    STACK_TOKEN: TOKEN,
    CACHE_REDIS_URL: 'redis://x',
    LD_PRELOAD: 'jemalloc',
  })
  expect(config.childEnvironment).toEqual({
    PATH: '/bin',
    LD_PRELOAD: 'jemalloc',
    UV_THREADPOOL_SIZE: '4',
    MALLOC_ARENA_MAX: '2',
  })
  expect(config.encodeSlots).toBeGreaterThanOrEqual(1)
  expect(config.memoryCacheBytes).toBeLessThanOrEqual(256 * 1024 * 1024)
})
