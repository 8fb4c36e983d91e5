// URLs of `next/link` and `next/router` as addresses.

import { describe, expect, test } from 'vitest'
import { formatUrl } from './testing.ts'
import { targetOf, type Url, type UrlObject } from './urls.ts'

const POST = { pathname: '/posts/[slug]', asPath: '/posts/first?tab=1#top' }

describe('X2 a URL leads to an address', () => {
  test.each<[Url, string]>([
    ['/about', '/about'],
    ['/about?a=1#b', '/about?a=1#b'],
    ['https://example.org/a', 'https://example.org/a'],
    ['mailto:ida@example.org', 'mailto:ida@example.org'],
    ['#part', '/posts/first?tab=1#part'],
    ['?tab=2', '/posts/first?tab=2'],
    ['second', '/posts/second'],
    ['../about', '/about'],
    ['', '/posts/first?tab=1'],
    ['/posts/[slug]?slug=a&b=1', '/posts/a?b=1'],
    [{ pathname: '/about', query: { a: 1, b: ['x', 'y'], c: true, d: null } }, '/about?a=1&b=x&b=y&c=true&d='],
    [{ pathname: '/posts/[slug]', query: { slug: 'a b/ü', tab: '2' } }, '/posts/a%20b%2F%C3%BC?tab=2'],
    [{ pathname: '/docs/[...path]', query: { path: ['a', 'b c'] } }, '/docs/a/b%20c'],
    [{ pathname: '/docs/[[...path]]', query: {} }, '/docs'],
    [{ pathname: '/docs/[[...path]]', query: { path: ['a'], x: 1 }, hash: 'h' }, '/docs/a?x=1#h'],
    [{ query: { slug: 'first', page: 2 } }, '/posts/first?page=2'],
    [{ query: { page: 2 } }, '/posts/first?page=2'],
    ['?slug=second&tab=2#end', '/posts/second?tab=2#end'],
    [{ hash: 'end' }, '/posts/first?tab=1#end'],
    // A path with two slashes at its begin would be another host; Next.js reads one slash, too.
    ['//evil.example/a?to=//b#//c', '/evil.example/a?to=//b#//c'],
    ['/\\evil.example', '/evil.example'],
    ['/\t/evil.example', '/evil.example'],
    [{ pathname: '//evil.example' }, '/evil.example'],
    [{ hostname: 'evil.example', pathname: '/a' }, '/evil.example/a'],
    [{ pathname: '/[...path]', query: { path: ['', 'evil.example'] } }, '/evil.example'],
  ])('%j: %s', (url, address) => {
    expect(targetOf(url, undefined, POST)).toEqual({ address })
  })

  test.each([
    ['/posts/[slug]', '/news', '/news?slug=second&path=a'],
    ['/docs/[...path]', '/docs', '/docs?slug=second&path=a'],
    ['/docs/[...path]', '/docs/b/c', '/docs/a?slug=second'],
    ['/docs/[[...path]]', '/docs', '/docs/a?slug=second'],
  ])('a query on %s at %s leads to %s', (pathname, asPath, address) => {
    expect(targetOf('?slug=second&path=a', undefined, { pathname, asPath })).toEqual({ address })
  })

  test('a pattern without its parameter is an error that names the parameter', () => {
    expect(() => targetOf('/posts/[slug]', undefined, POST)).toThrow('href=/posts/[slug]: the query lacks slug')
    expect(() => targetOf({ pathname: '/[a]/[b]', query: { b: 'x' } }, undefined, POST)).toThrow('lacks a,')
  })
})

describe('X2 `as` is the address of another page', () => {
  test.each<[Url, Url, { address: string; from?: string }]>([
    ['/posts/[slug]', '/posts/second', { address: '/posts/second' }],
    ['/posts/[slug]?x=1', '/posts/second', { address: '/posts/second', from: '/posts/second?x=1' }],
    [{ pathname: '/posts/[slug]', query: { slug: 'second' } }, '/posts/second', { address: '/posts/second' }],
    ['/feed?photo=7', '/photos/7', { address: '/photos/7', from: '/feed?photo=7' }],
    ['/feed', { pathname: '/photos/[id]', query: { id: 7 } }, { address: '/photos/7', from: '/feed' }],
    ['/docs/[[...path]]', '/docs/a', { address: '/docs/a' }],
    ['/docs/[[...path]]?x=1', '/docs/a', { address: '/docs/a', from: '/docs/a?x=1' }],
    ['/docs/[[...path]]?path=b', '/docs/a', { address: '/docs/a', from: '/docs/b' }],
    ['/docs/[[...path]]', '/help', { address: '/help', from: '/docs' }],
    ['/about', '/about#team', { address: '/about#team' }],
    ['/feed', '//evil.example', { address: '/evil.example', from: '/feed' }],
    // Another origin has no page that this site could show.
    ['/feed', 'https://example.org/a', { address: 'https://example.org/a' }],
    ['https://example.org/a', '/feed', { address: 'https://example.org/a' }],
    ['https://example.org/[id]', 'https://example.org/7', { address: 'https://example.org/7' }],
    ['https://example.org/[id]', 'https://example.com/7', { address: 'https://example.org/[id]' }],
    ['https://example.org/a', 'https://example.org/b', { address: 'https://example.org/a' }],
  ])('%j as %j', (url, as, target) => {
    expect(targetOf(url, as, POST)).toEqual(target)
  })
})

test.each<[UrlObject, string]>([
  [
    { protocol: 'https', hostname: 'example.org', port: 8080, pathname: 'a', search: 'b=1' },
    'https://example.org:8080/a?b=1',
  ],
  [{ protocol: 'https:', host: 'example.org', auth: 'ida:x', pathname: '/a' }, 'https://ida%3Ax@example.org/a'],
  [{ hostname: '::1', pathname: '/' }, '//[::1]/'],
  [{ pathname: '/a?b#c', query: 'd=1', hash: '#e' }, '/a%3Fb%23c?d=1#e'],
])('X2 the parts %j are %s', (parts, text) => {
  expect(formatUrl(parts)).toBe(text)
})
