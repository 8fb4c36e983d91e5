// What the wrapped bundle of development reports about data functions, with a fake clock, and what it adds to documents.

import type { DataFunctionContext, PageModule, RenderInput, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import { expect, test, vi } from 'vitest'
import { createDevBundle, type DevBundleDeps } from './dev-bundle.ts'

/** A bundle whose only page has a data function that takes the given times, call by call. */
function callsOf(callMs: readonly number[], result: () => unknown = () => ({ props: {} })) {
  let nowMs = 0
  let calls = 0
  const warnings = new Map<string, string[]>()
  const getServerSideProps = () => {
    nowMs += callMs[calls++] ?? 0
    return result()
  }
  // The casts: only the members that data functions need.
  const page = { getServerSideProps } as unknown as PageModule
  const deps = {
    appDir: '/app',
    manifest: { pages: [{ pattern: '/', file: 'pages/index.tsx' }], screens: [] },
    setWarnings: (group: string, list: readonly DevWarning[]) =>
      void warnings.set(
        group,
        list.map(({ text }) => text),
      ),
    now: () => nowMs,
  } as unknown as DevBundleDeps
  const bundle = createDevBundle({ pages: { '/': async () => page } } as unknown as ServerBundle, deps)
  return async () => {
    await (await bundle.pages['/']?.())?.getServerSideProps?.({} as DataFunctionContext)
    return [...warnings.values()].flat()
  }
}

test('V2 reports a slow data function from its second call: the first call may wait until modules are compiled', async () => {
  const call = callsOf([1600, 1600, 1000])
  expect(await call()).toEqual([])
  expect(await call()).toEqual(['getServerSideProps took 1.6 s; every client of the page waits for it'])
  expect(await call(), 'a fast call').toEqual([])
})

test('V2 reports a data function that becomes slow', async () => {
  const call = callsOf([10, 1100])
  expect(await call()).toEqual([])
  expect(await call()).toEqual(['getServerSideProps took 1.1 s; every client of the page waits for it'])
})

test('V1 a document has the version of the sources that it shows', async () => {
  const rendered: RenderInput[] = []
  const render = async (input: RenderInput) => void rendered.push(input)
  const deps = { manifest: { pages: [], screens: [] }, version: 7, showPage: () => {} } as unknown as DevBundleDeps
  const bundle = createDevBundle({ pages: {}, render } as unknown as ServerBundle, deps)
  await bundle.render({ route: '/', hydration: { props: {} }, entry: {} } as unknown as RenderInput)
  expect(rendered[0]!.hydration).toMatchObject({ props: {}, sourceVersion: 7 })
})

test('D7 a deferred value that JSON would change is an error with its path', async () => {
  const nested = Promise.resolve({ at: new Date(0) })
  const late = {
    fine: Promise.resolve({ a: [1] }),
    none: Promise.resolve(),
    bad: Promise.resolve([{ at: new Date(0) }]),
    nested: Promise.resolve([nested]),
  }
  const page = { getServerSideProps: () => ({ props: { late } }) } as unknown as PageModule
  const deps = {
    appDir: '/app',
    manifest: { pages: [{ pattern: '/', file: 'pages/index.tsx' }], screens: [] },
    setWarnings: () => {},
    now: () => 0,
  } as unknown as DevBundleDeps
  const bundle = createDevBundle({ pages: { '/': async () => page } } as unknown as ServerBundle, deps)
  const load = await bundle.pages['/']!()
  const { props } = (await load.getServerSideProps!({})) as { props: { late: typeof late } }
  expect([await props.late.fine, await props.late.none]).toEqual([{ a: [1] }, undefined])
  await expect(props.late.bad).rejects.toThrow('(await props.late.bad)[0].at: a Date; use date.toISOString()')
  const [inner] = await props.late.nested
  await expect(inner).rejects.toThrow('(await (await props.late.nested)[0]).at: a Date')
})

test('V2 names the data function in an error without a frame of it', async () => {
  const error = new Error('relation "orders" does not exist')
  error.stack = 'Error: relation "orders" does not exist\n    at Connection.parse (/app/node_modules/db/index.js:3:1)'
  const call = callsOf([], () => Promise.reject(error))
  await expect(call()).rejects.toBe(error)
  expect(error.stack).toMatch(/index\.js:3:1\)\n {4}at getServerSideProps \(\/app\/pages\/index\.tsx:1:1\)$/)
})

test('V4 says which page is compiled, where that takes longer than a second', async () => {
  vi.useFakeTimers()
  try {
    const said: string[] = []
    const load = (ms: number) => () => new Promise((done) => setTimeout(() => done({}), ms))
    const deps = {
      ...{ appDir: '/app', manifest: { pages: [], screens: [] }, say: (line: string) => said.push(line) },
      setWarnings: (_group: string, warnings: { text: string }[]) =>
        said.push(`shown: ${warnings.map(({ text }) => text)}`),
    } as unknown as DevBundleDeps
    const pages = { '/slow': load(2500), '/fast': load(900) }
    const bundle = createDevBundle({ pages } as unknown as ServerBundle, deps)
    const loaded = [bundle.pages['/slow']!(), bundle.pages['/fast']!()]
    await vi.advanceTimersByTimeAsync(1000)
    expect(said).toEqual(['compiling /slow …', 'shown: compiling /slow …'])
    await vi.advanceTimersByTimeAsync(1500)
    expect(said.slice(2)).toEqual(['compiled /slow in 2.5 s', 'shown: '])
    await Promise.all(loaded)
  } finally {
    vi.useRealTimers()
  }
})
