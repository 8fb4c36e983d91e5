import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseActionResponse } from './action-wire.ts'
import { foreignBuildReason, MANIFEST_FORMAT, parseManifest } from './build-output.ts'
import { PORTICO_VERSION } from './constants.ts'
import { controlFlowOf, forbidden, notFound, redirect, unauthorized } from './errors/control-flow.ts'
import { errorTitle } from './errors/error-titles.ts'
import { parsePageData } from './page-data.ts'

const RUBBISH = [
  undefined,
  null,
  true,
  0,
  '',
  'page',
  [],
  {},
  { kind: 'nothing' },
  { kind: ['page'] },
  { kind: 'toString' },
  [{ kind: 'page' }],
]

describe('page data', () => {
  it.each([
    { kind: 'page', route: '/a/[id]', params: { id: '1', rest: ['a'] }, props: { x: [1] } },
    { kind: 'redirect', location: '/x', status: 307 },
    { kind: 'not-found' },
    { kind: 'foreign-build' },
  ])('W2 reads %j', (data) => {
    expect(parsePageData(JSON.parse(JSON.stringify(data)))).toEqual(data)
  })

  it.each([
    ...RUBBISH,
    { kind: 'page' },
    { kind: 'page', route: 1, params: {}, props: {} },
    { kind: 'page', route: '/a', params: [], props: {} },
    { kind: 'page', route: '/a', params: null, props: {} },
    { kind: 'page', route: '/a', params: {}, props: [] },
    { kind: 'page', route: '/a', params: {}, props: 'x' },
    { kind: 'page', route: '/a', params: { id: 1 }, props: {} },
    { kind: 'page', route: '/a', params: { id: [1] }, props: {} },
    { kind: 'page', route: '/a', params: { id: null }, props: {} },
    { kind: 'redirect' },
    { kind: 'redirect', location: '/x' },
    { kind: 'redirect', location: 7, status: 307 },
    { kind: 'redirect', location: '/x', status: '307' },
    { kind: 'redirect', location: '/x', status: 200 },
    { error: { status: 500, title: 'x' } },
    { error: { status: 401, title: 'x', code: 'token-required' } },
    { error: { status: 403, title: 'x', code: 'unauthorized' } },
    { error: null },
  ])('W2 does not parse %j as page data', (value) => {
    expect(parsePageData(value)).toBeUndefined()
  })
})

it.each([
  [401, 'unauthorized'],
  [403, 'access-denied'],
] as const)(
  'W2 reads the error with status %i and code %s as a refusal, also of the page of an action',
  (status, code) => {
    const error = { error: { status, title: 'x', code } }
    const page = { kind: 'refused', status }
    expect(parsePageData(error)).toEqual(page)
    expect(parseActionResponse({ kind: 'value', revalidated: false, page: error })).toMatchObject({ page })
  },
)

describe('action responses', () => {
  it.each([
    { kind: 'value', value: { a: 1 }, revalidated: false },
    { kind: 'value', revalidated: true },
    { kind: 'value', omitted: true, revalidated: true, page: { kind: 'page', route: '/', params: {}, props: {} } },
    { kind: 'redirect', location: '/x', status: 303 },
    { kind: 'done', status: 200 },
    { kind: 'done', status: 303, location: '/x' },
    { kind: 'not-found' },
    { kind: 'unknown-action' },
    { kind: 'invalid', issues: [{ path: 'a.b.0', message: 'no' }] },
    { kind: 'unknown' },
    { kind: 'refused' },
  ])('W4 reads %j', (response) => {
    expect(parseActionResponse(JSON.parse(JSON.stringify(response)))).toEqual(response)
  })

  it.each([
    ...RUBBISH,
    { kind: 'value' },
    { kind: 'value', revalidated: 'yes' },
    { kind: 'value', revalidated: true, page: { kind: 'rubbish' } },
    { kind: 'redirect' },
    { kind: 'redirect', location: 1, status: 303 },
    { kind: 'redirect', location: '/x', status: 200 },
    { kind: 'done' },
    { kind: 'done', status: '200' },
    { kind: 'invalid' },
    { kind: 'invalid', issues: {} },
    { kind: 'invalid', issues: [null] },
    { kind: 'invalid', issues: [{ path: 1, message: 'x' }] },
    { kind: 'invalid', issues: [{ path: '' }] },
    { error: { status: 413, title: 'x', limit: 1, received: 2 } },
  ])('W4 rejects %j', (value) => {
    expect(parseActionResponse(value)).toBeUndefined()
  })

  it('W2 W4 the parsers throw for no JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('page', 'redirect', 'value', 'invalid', 'x'), (value, kind) => {
        for (const data of [value, { kind, ...(typeof value === 'object' ? value : { location: value }) }]) {
          parsePageData(data)
          parseActionResponse(data)
        }
      }),
    )
  })
})

describe('control flow', () => {
  const thrownBy = (run: () => never): unknown => {
    try {
      return run()
    } catch (thrown) {
      return thrown
    }
  }

  it('W7 redirect has status 307 by default', () => {
    expect(controlFlowOf(thrownBy(() => redirect('/x')))).toEqual({ kind: 'redirect', location: '/x', status: 307 })
    expect(controlFlowOf(thrownBy(() => redirect('/x', 308)))).toMatchObject({ status: 308 })
  })

  it('W7 redirect and notFound throw errors with a message and a stack, for code that catches everything', () => {
    expect(thrownBy(() => redirect('/x'))).toBeInstanceOf(Error)
    expect(String(thrownBy(notFound))).toBe('Error: not found')
    expect(controlFlowOf(thrownBy(notFound))).toEqual({ kind: 'not-found' })
  })

  it('W7 unauthorized and forbidden throw a refusal with their status', () => {
    expect(controlFlowOf(thrownBy(unauthorized))).toEqual({ kind: 'refused', status: 401 })
    expect(controlFlowOf(thrownBy(forbidden))).toEqual({ kind: 'refused', status: 403 })
  })

  it('W7 recognises what another copy of the code threw, and spreading the error does not copy the mark', () => {
    const foreign = runInNewContext(
      "Object.defineProperty(new Error('x'), Symbol.for('portico.control-flow'), { value: { kind: 'not-found' } })",
    ) as object
    expect(foreign).not.toBeInstanceOf(Error)
    expect(controlFlowOf(foreign)).toEqual({ kind: 'not-found' })
    expect(controlFlowOf({ ...foreign })).toBeUndefined()
  })

  it.each([undefined, null, 0, 'redirect', new Error('redirect'), { kind: 'redirect', location: '/x' }, () => 1])(
    'W7 treats %s as an ordinary value',
    (value) => {
      expect(controlFlowOf(value)).toBeUndefined()
    },
  )
})

describe('manifest and titles', () => {
  it('W1 reads a manifest of this format', () => {
    const manifest = { format: MANIFEST_FORMAT, version: PORTICO_VERSION, buildId: 'b1' }
    expect(parseManifest(manifest)).toBe(manifest)
  })

  it.each([null, undefined, 1, 'x', {}, { format: MANIFEST_FORMAT }])('W1 rejects %j and names the remedy', (value) => {
    expect(() => parseManifest(value)).toThrow(/portico build/)
  })

  it.each(['0.0.9', '0.2.0', '1.1.0', '0.10.0', undefined, 1])(
    'K1 refuses a build of version %s, with both versions and the command',
    (version) => {
      const written = typeof version === 'string' ? version : 'of an earlier version'
      expect(() => parseManifest({ format: MANIFEST_FORMAT, version, buildId: 'b' })).toThrow(
        `dist/ was built by Portico ${written}, and this is Portico ${PORTICO_VERSION}: run \`portico build\` again`,
      )
    },
  )

  it('K1 reads a build of another patch version', () => {
    const [major, minor] = PORTICO_VERSION.split('.')
    for (const patch of ['0', '99', '7-beta.1'])
      expect(foreignBuildReason(`${major}.${minor}.${patch}`)).toBeUndefined()
  })

  it('W1 names both formats of a build of another version', () => {
    expect(() => parseManifest({ format: 99, version: PORTICO_VERSION, buildId: 'b' })).toThrow(
      `the manifest has format 99, this version reads ${MANIFEST_FORMAT}: run \`portico build\` again`,
    )
  })

  it.each([
    [400, 'Bad Request'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'This page could not be found'],
    [405, 'Method Not Allowed'],
    [500, 'Internal Server Error'],
    [418, 'An unexpected error has occurred'],
    [0, 'An unexpected error has occurred'],
  ])('E2 the title of %i is %s', (status, title) => {
    expect(errorTitle(status)).toBe(title)
  })
})
