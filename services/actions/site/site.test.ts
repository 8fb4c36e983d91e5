// The loaded build (O4).

import { setTimeout as sleep } from 'node:timers/promises'
import { createSiteModules } from '@portico/shared/kit/life/site-modules.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { ACTION_OPTIONS, type ActionOptions } from '@portico/shared/wire/bundles.ts'
import { expect, it } from 'vitest'
import { EMPTY_MANIFEST } from '../testing/write-build.ts'
import { bodyLimitOf, loadSite } from './site.ts'

const runWithContext = <T>(_context: unknown, run: () => T) => run()

it('O4 loads every module at boot and knows the largest limit', async () => {
  const large = Object.assign(() => 1, { [ACTION_OPTIONS]: { bodyLimitBytes: 5_000_000 } })
  const actions = {
    a: { name: 'a', load: async () => () => 1 },
    b: { name: 'b', load: async () => large },
  }
  const site = await loadSite(EMPTY_MANIFEST, { actions, apiRoutes: {}, runWithContext })
  expect([...site.actions.keys()]).toEqual(['a', 'b'])
  expect(site.actions.get('a')).toMatchObject({ isDefined: false, options: {} })
  expect(site.actions.get('b')).toMatchObject({ isDefined: true })
  expect([...site.actions.values()].map(bodyLimitOf)).toEqual([1_048_576, 5_000_000])
  expect(site.largestBodyLimitBytes).toBe(5_000_000)
})

it.each(['yes', 'allow'])(
  'A5 refuses repeat: "%s" of an action for which the build has read nothing',
  async (repeat) => {
    // An author without TypeScript may write any value.
    const options = { repeat } as ActionOptions
    const actions = {
      a: { name: 'notes.ts#add', load: async () => Object.assign(() => 1, { [ACTION_OPTIONS]: options }) },
    }
    await expect(loadSite(EMPTY_MANIFEST, { actions, apiRoutes: {}, runWithContext })).rejects.toThrow(
      `the action "notes.ts#add": repeat="${repeat}" is not allowed; allowed is repeat: 'allow', a literal in the argument of defineAction`,
    )
  },
)

it('O4 names the module that cannot be loaded', async () => {
  const fail = async () => {
    throw new Error('no')
  }
  const none = { actions: {}, apiRoutes: {}, runWithContext }
  await expect(
    loadSite(EMPTY_MANIFEST, { ...none, actions: { x: { name: 'notes.ts#add', load: fail } } }),
  ).rejects.toThrow('the action "notes.ts#add" cannot be loaded')
  await expect(loadSite(EMPTY_MANIFEST, { ...none, apiRoutes: { '/api/x': fail } })).rejects.toThrow(
    'the API handler "/api/x" cannot be loaded',
  )
})

it('O4 rejects once where an action and a handler cannot be loaded', async () => {
  const fail = () => sleep(1).then(() => Promise.reject(new Error('no')))
  const actions = { x: { name: 'notes.ts#add', load: () => sleep(20).then(fail) } }
  const bundle = { actions, apiRoutes: { '/api/x': fail, '/api/y': fail }, runWithContext }
  // A rejection that nothing handles fails the run.
  await expect(loadSite(EMPTY_MANIFEST, bundle)).rejects.toThrow('cannot be loaded')
  await sleep(30)
})

it('O4 keeps what cannot be loaded with its cause, one fault for a file, and loads the rest', async () => {
  const lines: string[] = []
  const modules = createSiteModules({ log: createLog('actions', 'info', { write: (line) => void lines.push(line) }) })
  const fail = async () => {
    throw new Error('no such table')
  }
  const works = async () => () => 1
  const bundle = {
    actions: {
      a: { name: 'notes.ts#add', load: fail },
      b: { name: 'notes.ts#remove', load: fail },
      c: { name: 'good.ts#c', load: works },
    },
    apiRoutes: { '/api/x': fail, '/api/y': async () => ({ default: () => 1 }) },
    runWithContext,
  }
  const manifest = { ...EMPTY_MANIFEST, apiRoutes: [{ pattern: '/api/x', file: 'pages/api/x.ts' }] }
  const site = await loadSite(manifest, bundle, {}, modules)
  expect([[...site.actions.keys()], [...site.apiHandlers.keys()]]).toEqual([['c'], ['/api/y']])
  expect([...site.broken].map(([key, { message }]) => [key, message])).toEqual([
    ['a', 'notes.ts cannot be loaded: no such table'],
    ['b', 'notes.ts cannot be loaded: no such table'],
    ['/api/x', 'pages/api/x.ts cannot be loaded: no such table'],
  ])
  expect(site.broken.get('a')).toBe(site.broken.get('b'))
  expect(lines).toHaveLength(2)
})

it('A8 names the handler whose computed config has a fault', async () => {
  const config = { api: { bodyParser: { sizeLimit: 'big' } } }
  const apiRoutes = { '/api/x': async () => ({ default: () => 1, config }) }
  await expect(loadSite(EMPTY_MANIFEST, { actions: {}, apiRoutes, runWithContext })).rejects.toThrow(
    'the API handler "/api/x" cannot be loaded: config.api.bodyParser.sizeLimit = "big": must be a number of bytes',
  )
})

it('X7 refuses a sizeLimit of a handler whose export makes it one of the edge runtime', async () => {
  const config = { api: { bodyParser: { sizeLimit: 9 } } }
  const apiRoutes = { '/api/x': async () => ({ default: () => 1, config, runtime: 'edge' }) }
  const manifest = { ...EMPTY_MANIFEST, semantics: { apiConfig: true } }
  await expect(loadSite(manifest, { actions: {}, apiRoutes, runWithContext })).rejects.toThrow(
    'config.api.bodyParser.sizeLimit = 9: has no effect with the runtime "edge"',
  )
})
