import { expect, test } from 'vitest'
import { createDevPages } from './dev-pages.ts'

/** A folder that can be read, whose bundle cannot be loaded. */
function pagesOf(fault?: Error) {
  let loads = 0
  const importServer = async () => {
    loads++
    throw new Error('late-package is missing')
  }
  const manifest = { publicEnv: [], env: [], siteEnv: [] }
  const build = { settled: async () => ({ version: 1, manifest, fault }), vite: () => ({ importServer }) }
  // Only the members that a failure needs.
  const pages = createDevPages({ build, environment: {} } as unknown as Parameters<typeof createDevPages>[0])
  return { pages, loads: () => loads }
}

test('V2 a bundle that could not be loaded is loaded again at the next request, once for requests at the same time', async () => {
  const { pages, loads } = pagesOf()
  const [first, second] = await Promise.all([pages(), pages()])
  expect([first, second]).toMatchObject(
    Array(2).fill({ kind: 'failed', error: { message: 'late-package is missing' } }),
  )
  expect(loads()).toBe(1)
  await pages()
  expect(loads()).toBe(2)
})

test('V2 a folder that cannot be read is not loaded until it changes', async () => {
  const { pages, loads } = pagesOf(new Error('two pages of one path'))
  expect(await pages()).toMatchObject({ kind: 'failed', error: { message: 'two pages of one path' } })
  await pages()
  expect(loads()).toBe(0)
})
