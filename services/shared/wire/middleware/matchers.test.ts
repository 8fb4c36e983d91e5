import { expect, it } from 'vitest'
import { createFacts } from '../patterns/conditions.ts'
import { createMatchers } from './matchers.ts'

const factsOf = (search = '', headers: Record<string, string> = {}) =>
  createFacts({ search, header: (name) => headers[name], cookie: (name) => headers[`cookie ${name}`], host: () => 'a' })

const admin = createMatchers([{ source: '/admin/:path*' }])
it.each([
  '/admin',
  '/admin/',
  '/admin/users',
  '/ADMIN/users',
  '/%61dmin/users',
  '/%41dmin',
  '//admin',
  '/admin//users',
  '/admin%2fusers',
  '/admin%5Cusers',
  '/admin;x=1/users',
  '/admin%3Bx/users',
  '/public/..;/admin/users',
])('X15 the matcher of /admin guards %s', (path) => {
  expect(admin(path, factsOf())).toBe(true)
})

it.each(['/', '/administrator', '/public/admin', '/adm%69', '/admin.json'])(
  'X15 the matcher of /admin leaves %s',
  (path) => {
    expect(admin(path, factsOf())).toBe(false)
  },
)

const others = createMatchers([{ source: '/((?!api|images|public).*)' }])
it.each([
  ['/about', true],
  ['/', true],
  ['/public/a', false],
  ['/images/Logo.PNG', false],
  ['/PUBLIC', true],
  ['/%50ublic', true],
  ['/%70ublic', false],
  ['/API/x', true],
])('X15 a matcher that excludes paths guards %s: %s', (path, expected) => {
  expect(others(path, factsOf())).toBe(expected)
})

it('X15 one of several matchers is enough, and its conditions count', () => {
  const guarded = createMatchers([
    { source: '/a', has: [{ type: 'query', key: 'x' }], missing: [{ type: 'cookie', key: 'session' }] },
    { source: '/b/:id(\\d+)' },
    { source: '/:path*', has: [{ type: 'header', key: 'x-check', value: 'yes' }] },
  ])
  expect(guarded('/a', factsOf('?x=1'))).toBe(true)
  expect(guarded('/a', factsOf())).toBe(false)
  expect(guarded('/a', factsOf('?x=1', { 'cookie session': 's' }))).toBe(false)
  expect(guarded('/b/12', factsOf())).toBe(true)
  expect(guarded('/b/x', factsOf())).toBe(false)
  expect(guarded('/c', factsOf('', { 'x-check': 'yes' }))).toBe(true)
})

it('X15 the matcher of all paths guards the root', () => {
  expect(createMatchers([{ source: '/:path*' }])('/', factsOf())).toBe(true)
})
