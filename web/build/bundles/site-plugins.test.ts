import type { Plugin } from 'vite'
import { describe, expect, test } from 'vitest'
import { parseSiteConfig } from '../config/config.ts'
import { sitePlugins } from './site-plugins.ts'

const CONTEXT = { bundle: 'browser', dev: false } as const
interface Built {
  build: { rolldownOptions: { output: object } }
}
type Hook = (...given: unknown[]) => unknown

const load = (result: unknown) => sitePlugins(parseSiteConfig({ plugins: () => result }), CONTEXT)

/** Calls a hook as Vite does. */
async function call(
  plugin: Partial<Plugin>,
  name: 'config' | 'configEnvironment' | 'configResolved' | 'options' | 'outputOptions',
) {
  const [guarded] = await load([{ name: 'moves', ...plugin }])
  const hook = guarded?.[name] as Hook | { handler: Hook }
  return (typeof hook === 'function' ? hook : hook.handler)({
    build: { outDir: 'dist', rolldownOptions: { output: { format: 'esm' } } },
    input: 'start.js',
  })
}

describe('the plugins of a site', () => {
  test('F3 may be nested, promised and left out', async () => {
    const plugins = await load([[{ name: 'a' }, false], Promise.resolve([{ name: 'b' }]), null])
    expect(plugins.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(await sitePlugins(parseSiteConfig({}), CONTEXT)).toEqual([])
  })

  test('F3 keep the methods of their class, and are not changed where they are shared', async () => {
    class Shared {
      name = 'shared'
      config = () => ({ define: { A: '1' } })
      get version() {
        return 7
      }
    }
    const shared = new Shared()
    const { config } = shared
    const [first] = await load(shared)
    expect([(first as unknown as Shared).version, shared.config === config]).toEqual([7, true])
  })

  test.each<[string, Parameters<typeof call>[1], unknown]>([
    ['root', 'config', () => ({ root: '/' })],
    ['base', 'config', { order: 'post', handler: () => ({ base: '/elsewhere/' }) }],
    ['build.outDir', 'config', (config: { build: object }) => void Object.assign(config.build, { outDir: 'out' })],
    [
      'build.rolldownOptions.input',
      'config',
      () => ({ environments: { ssr: { build: { rolldownOptions: { input: 'a' } } } } }),
    ],
    ['build.watch', 'config', () => ({ build: { watch: {} } })],
    [
      'build.rolldownOptions.output.format',
      'config',
      (config: Built) => void Object.assign(config.build.rolldownOptions.output, { format: 'iife' }),
    ],
    [
      'build.rolldownOptions.output',
      'configResolved',
      (config: Built) => void Object.assign(config.build.rolldownOptions, { output: [{}, {}] }),
    ],
    ['build.outDir', 'configEnvironment', () => ({ build: { outDir: 'out' } })],
    ['input', 'options', (options: object) => ({ ...options, input: 'a.js' })],
    ['output.entryFileNames', 'outputOptions', (options: object) => ({ ...options, entryFileNames: 'a.js' })],
  ])('F3 must not set %s in %s', async (path, name, hook) => {
    await expect(async () => call({ [name]: hook }, name)).rejects.toThrow(
      `plugins: "moves" sets ${path}, which Portico sets; remove the plugin or its option`,
    )
  })

  test('F3 may set everything else', async () => {
    const result = { define: { A: '1' }, build: { sourcemap: true } }
    expect(await call({ config: () => result }, 'config')).toBe(result)
    expect(await call({ options: (options) => ({ ...options, treeshake: false }) }, 'options')).toMatchObject({
      treeshake: false,
    })
  })

  test.each([['tailwind'], [7], [{ apply: 'build' }]])('F3 refuses %j', async (plugin) => {
    await expect(load([plugin])).rejects.toThrow(
      'plugins: must return Vite plugins, each an object with a name, for bundle "browser"',
    )
  })

  test('F3 are a function', () => {
    expect(() => parseSiteConfig({ plugins: [{ name: 'a' }] })).toThrow(
      'must be a function: plugins: ({ bundle, dev }) => [somePlugin()]',
    )
  })
})
