import { get } from 'node:http'
import Module from 'node:module'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { startInstrumentation } from './instrumentation.ts'

function captureLog() {
  const lines: Record<string, unknown>[] = []
  return { lines, log: createLog('renderer', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

const REQUEST = { url: '/a?b=1', method: 'GET', headers: { accept: '*/*' } }

test('X16 register is called once and waited for; without a module there is nothing to report to', async () => {
  const { log } = captureLog()
  let calls = 0
  const register = async () => {
    await new Promise((done) => setTimeout(done, 1))
    calls += 1
  }
  expect(await startInstrumentation(async () => ({ register }), log)).toBeUndefined()
  expect(calls).toBe(1)
  expect(await startInstrumentation(undefined, log)).toBeUndefined()
})

test('X16 a library that patches modules of Node when they are next required has patched them after register', async () => {
  const { require } = Module.prototype
  let original: typeof get | undefined
  onTestFinished(() => {
    Module.prototype.require = require
    const http = Module.createRequire(import.meta.url)('http')
    if (original) http.get = original
    Module.syncBuiltinESMExports()
  })
  const traced: unknown[] = []
  const register = () => {
    // As require-in-the-middle does it, which OpenTelemetry and Datadog use.
    Module.prototype.require = function (this: NodeJS.Module, id: string) {
      const exports = require.call(this, id)
      if (id === 'http' && !original) {
        original = exports.get
        exports.get = (url: unknown) => traced.push(url)
      }
      return exports
    } as NodeJS.Require
  }
  await startInstrumentation(async () => ({ register }), captureLog().log)
  get('http://example.org/')
  expect(traced).toEqual(['http://example.org/'])
})

test.each([
  ['the module', () => Promise.reject(new Error('no key'))],
  ['register', async () => ({ register: () => Promise.reject(new Error('no key')) })],
  [
    'register, without a promise',
    async () => ({
      register: () => {
        throw new Error('no key')
      },
    }),
  ],
])('X16 a failure of %s ends the start with its message', async (_name, load) => {
  await expect(startInstrumentation(load, captureLog().log)).rejects.toThrow(
    'instrumentation: register() failed: no key',
  )
})

test('X16 onRequestError has the request and the route, and what it throws is logged', async () => {
  const { log, lines } = captureLog()
  const seen: unknown[] = []
  const report = await startInstrumentation(
    async () => ({
      onRequestError: (...args) => {
        seen.push(args)
        throw new Error('collector is down')
      },
    }),
    log,
  )
  const error = new Error('of a page')
  report?.(error, REQUEST, { routePath: '/a', routeType: 'render', revalidateReason: 'stale' })
  report?.(error, REQUEST, { routePath: '/api/a', routeType: 'route' })
  const request = { path: '/a?b=1', method: 'GET', headers: { accept: '*/*' } }
  const routerKind = 'Pages Router'
  expect(seen).toEqual([
    [error, request, { routerKind, routePath: '/a', routeType: 'render', revalidateReason: 'stale' }],
    [error, request, { routerKind, routePath: '/api/a', routeType: 'route', revalidateReason: undefined }],
  ])
  await expect.poll(() => lines.length).toBe(2)
  expect(JSON.stringify(lines[0])).toContain('collector is down')
})
