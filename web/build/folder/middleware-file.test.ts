// The file of middleware: names, exports, and `config.matcher`.

import { compileConditions } from '@portico/shared/wire/patterns/conditions.ts'
import { compilePattern } from '@portico/shared/wire/patterns/path-patterns.ts'
import { matchPattern } from '@portico/shared/wire/testing.ts'
import { expect, test } from 'vitest'
import { ownSettings } from '../mode.ts'
import { otherMode } from '../testing/other-mode.ts'
import { ignoredMiddlewareMembers, middlewareLine, middlewareName, readMiddleware } from './middleware-file.ts'

const RUN = 'export function middleware() {}\n'
const PLACE = { pagesDir: 'pages', rules: ownSettings() }
const OTHER_PLACE = { ...PLACE, rules: otherMode() }

const read = (code: string, rules = ownSettings()) =>
  readMiddleware(code, 'middleware.ts', 'middleware', rules).matchers

test.each([
  ['middleware.ts', PLACE, 'middleware'],
  ['middleware.js', PLACE, 'middleware'],
  ['proxy.ts', OTHER_PLACE, 'proxy'],
  ['src/middleware.ts', { ...OTHER_PLACE, pagesDir: 'src/pages' }, 'middleware'],
  ['middleware.page.ts', { ...PLACE, rules: otherMode(['page.ts']) }, 'middleware'],
  ['lib/middleware.ts', PLACE, undefined],
  ['pages/middleware.tsx', PLACE, undefined],
  ['middleware.md', PLACE, undefined],
])('X15 %s is found by its name and place', (file, place, name) => {
  expect(middlewareName(file, place)).toBe(name)
})

test.each([
  ['proxy.ts', PLACE, 'proxy.ts: is a name of Next.js: rename the file to middleware.ts'],
  ['middleware.mjs', PLACE, 'middleware.mjs: is not read as middleware: its name must end with .tsx, .ts, .jsx, .js'],
  [
    'src/middleware.ts',
    PLACE,
    'src/middleware.ts: is not read: middleware must be next to the pages, as middleware.ts',
  ],
  ['middleware.ts', { ...OTHER_PLACE, pagesDir: 'src/pages' }, 'next to the pages, as src/middleware.ts'],
  ['middleware.ts', { ...PLACE, rules: otherMode(['page.ts']) }, 'its name must end with .page.ts'],
  ['pages/docs/_middleware.ts', OTHER_PLACE, 'middleware is one file: move the code to middleware.ts'],
])('X15 %s is refused, because it would guard nothing', (file, place, fault) => {
  expect(() => middlewareName(file, place)).toThrow(fault)
})

test.each([
  ['without config', RUN, [{ source: '/:path*' }]],
  ['without matcher', `${RUN}export const config = {}`, [{ source: '/:path*' }]],
  ['one path', `${RUN}export const config = { matcher: '/a/:path*' }`, [{ source: '/a/:path*' }]],
  [
    'names of constants, templates and casts',
    `${RUN}const ALL = ['/a', \`/b\`] as const
export const config = { matcher: ALL } satisfies object`,
    [{ source: '/a' }, { source: '/b' }],
  ],
  [
    'objects',
    `export default () => {}\nexport const config = { matcher: [{ source: '/a', missing: [{ type: 'cookie', key: 'b' }], locale: false }] }`,
    [{ source: '/a', missing: [{ type: 'cookie', key: 'b' }], locale: false }],
  ],
  ['another module', "export { auth as middleware } from './auth'", [{ source: '/:path*' }]],
  ['all of another module', "export * from './auth'", [{ source: '/:path*' }]],
  ['what cannot be parsed yet', 'export function middleware( {', [{ source: '/:path*' }]],
])('X15 a module with %s has these matchers', (_name, code, matchers) => {
  expect(read(code)).toEqual(matchers)
})

test.each([
  ['export const a = 1', 'middleware.ts: must export a function named middleware, or a function as default'],
  [`${RUN}export const config = { matcher: 'about' }`, '2:23: config.matcher = "about": must begin with "/"'],
  [`${RUN}export const config = { matcher: ['/a', { source: 1 }] }`, 'config.matcher[1].source = 1: must be a path'],
  [`${RUN}export const config = { matcher: [] }`, 'config.matcher = []: must name at least one path'],
  [`${RUN}export const config = { matcher: ['/' + name] }`, 'config.matcher: must be written as literals'],
  [`${RUN}let all = ['/a']\nexport const config = { matcher: all }`, 'config.matcher: must be written as literals'],
  [`${RUN}export const config = { matcher: [/a/] }`, 'config.matcher[0]'],
  [`${RUN}export const config = { ['matcher']: '/a' }`, 'config.…: is not a member'],
  [`${RUN}export const config = { ...other }`, 'config.…: is not a member'],
  [`${RUN}export const config = { matchers: '/a' }`, 'config.matchers: is not a member; known: matcher'],
  [`${RUN}export const config = { runtime: 'edge' }`, 'config.runtime: has no effect: middleware runs on Node'],
  [
    `${RUN}export const config = { matcher: [{ source: '/a', regexp: 'b' }] }`,
    'config.matcher[0].regexp = "b": is not a member',
  ],
  [`${RUN}export const config = { matcher: [{ source: '/a', has: [{ type: 'cookie' }] }] }`, 'config.matcher[0].has'],
  [`${RUN}export { config } from './config'`, 'config must be written as literals in this file'],
])('X15 a matcher that is not surely read is refused: %s', (code, fault) => {
  expect(() => read(code)).toThrow(fault)
})

test('X15 in compatibility mode hosts may have members, and conditions read as Next.js reads them', () => {
  const code = `${RUN}export const runtime = 'edge'
export const config = { runtime: 'nodejs', matcher: [{ source: '/a', has: [{ type: 'query', key: 'b', value: '' }] }] }`
  expect(read(code, otherMode())).toEqual([{ source: '/a', has: [{ type: 'query', key: 'b', notEmpty: true }] }])
  expect(ignoredMiddlewareMembers(code, 'middleware.ts')).toEqual(['config.runtime', 'export runtime'])
})

test('X15 the line of the build counts the matchers', () => {
  expect(middlewareLine(readMiddleware(RUN, 'middleware.ts', 'middleware', ownSettings()))).toBe(
    'Middleware: middleware.ts, 1 matcher',
  )
})

test.each([
  ['/((?!api|_next/static|_next/image|favicon.ico).*)', ['/', '/a/b', '/en'], ['/api/a', '/favicon.ico']],
  ['/((?!.*\\..*|_next).*)', ['/', '/a'], ['/logo.png']],
  ['/(api|trpc)(.*)', ['/api/a', '/trpc'], ['/a']],
  [
    '/((?!_next|[^?]*\\.(?:html?|css|js(?!on)|jpe?g|webp|png|gif|svg|ttf|woff2?|ico|csv|docx?|xlsx?|zip|webmanifest)).*)',
    ['/', '/dashboard', '/a.json'],
    ['/a.css', '/a/b.png'],
  ],
  ['/((?!api|_next|_vercel|.*\\..*).*)', ['/de/about'], ['/api']],
  ['/([\\w-]+)?/users/(.+)', ['/de/users/1'], ['/de/users']],
  ['/_sites/:path((?![^/]*\\.json$)[^/]+$)', ['/_sites/a'], ['/_sites/a.json', '/_sites/a/b']],
  ['/dashboard/:path*', ['/dashboard', '/dashboard/a/b', '/Dashboard/%61'], ['/dashboards']],
  ['/:path*', ['/', '/a', '/a//b/', '/%zz', '/a%2fb', '/__proto__'], []],
])('X15 the matcher %s of published middleware is read', (source, matched, others) => {
  const [matcher] = read(`${RUN}export const config = { matcher: [${JSON.stringify(source)}] }`)
  const pattern = compilePattern(matcher!.source)
  expect(compileConditions({})).toBeUndefined()
  for (const path of matched) expect(matchPattern(pattern, path), path).toBeDefined()
  for (const path of others) expect(matchPattern(pattern, path), path).toBeUndefined()
})
