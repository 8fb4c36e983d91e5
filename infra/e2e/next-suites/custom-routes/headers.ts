// Headers of the configuration.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'
import { AT } from './expectations.ts'

/** One path, and headers of its response, whatever its status is. */
function has(number: number, does: string, path: string, headers: Record<string, string>): Behaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      const response = await site.fetch(AT + path)
      const found = Object.keys(headers).map((name) => [name, response.headers.get(name)])
      expect(Object.fromEntries(found)).toEqual(headers)
    },
  }
}

export const headerBehaviours: readonly Behaviour[] = [
  has(17, 'sends text of headers that only looks like a parameter as it is', '/labels/here', {
    'x-label': 'here',
    'x-of-here': 'yes',
    'x-text-1': 'a:word*',
    'x-text-2': 'word*',
    'x-text-3': ':word?',
    'x-text-4': ':word+',
    'x-text-5': 'see https:',
    'x-text-6': ':word(more)',
    'x-text-7': 'word(more)',
    'x-text-8': 'word{2,}',
    'x-text-9': ':word{2,3}',
    'content-security-policy': "img-src *; media-src one.example two.example; script-src 'self' three.example/here",
  }),
  {
    id: 'custom-routes-18',
    does: 'rewrites a path that also has headers and fits a page with a parameter',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/room/closed-today`)
      expect(response.headers.get('x-on-all')).toBe('the suite')
      expect((await site.stateOf(`${AT}/room/closed-today`)).query).toEqual({ place: 'room' })
    },
  },
  has(34, 'puts all that a catch-all has into a header', '/all-of-it/a/b?c=d', { 'x-path': 'a/b' }),
  has(50, 'adds the headers of a path', '/garden', { 'x-flowers': 'roses and lilies', 'x-trees': 'a lime' }),
  has(51, 'adds the headers of paths that fit an expression', '/trees/oak', { 'x-leaf': 'green', 'x-trunk': 'brown' }),
  has(52, 'puts a parameter into value and name of a header', '/labels/there', {
    ...{ 'x-label': 'there', 'x-of-there': 'yes' },
  }),
  has(53, 'sends a URL in a header', '/links/plain', { 'x-link': 'https://www.example.com' }),
  has(54, 'puts a parameter into a URL in a header', '/links/to/here', { 'x-link': 'https://www.example.com/here' }),
  has(55, 'puts a parameter into a URL with a port in a header', '/links/port/here', {
    'x-link': 'https://www.example.com:8443?at=here',
  }),
  has(56, 'puts a parameter with an expression into value and name of a header', '/pattern/here', {
    ...{ 'x-value': 'it=here', 'x-is-here': 'yes' },
  }),
]
