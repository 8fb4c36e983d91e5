import { describe, expect, it } from 'vitest'
import { isSitePath, labHref, localSource, parseLabChoice, URL_LIMIT } from './lab-choice.ts'

const plates = ['skarnvik', 'moyun']
const parse = (query: string) => parseLabChoice(new URLSearchParams(query), plates, 'skarnvik')
const DEFAULTS = { picture: 'skarnvik', url: '', width: 1080, quality: 75, format: 'auto' }

describe('the choice in the lab', () => {
  it.each([
    ['', {}],
    ['picture=moyun&w=640&q=50&format=webp', { picture: 'moyun', width: 640, quality: 50, format: 'webp' }],
    ['url=%20%2Flandscapes%2Fx.jpg%20', { url: '/landscapes/x.jpg' }],
    ['picture=nope&w=641&q=76&format=gif', {}],
    ['w=640&w=750', { width: 640 }],
    ['w=6e2&q=', {}],
  ])('I1 of %j is one that the image service takes', (query, expected) => {
    expect(parse(query)).toEqual({ ...DEFAULTS, ...expected })
  })

  it('N2 survives its own address', () => {
    const choice = parse('picture=moyun&url=https://a.example/b?c=d%26e&w=3840&q=95&format=avif')
    expect(parse(labHref(choice).split('?').slice(1).join('?'))).toEqual(choice)
  })

  it('I1 has an end', () => {
    expect(parse(`url=/${'x'.repeat(5000)}`).url).toHaveLength(URL_LIMIT)
  })

  it('I1 takes a full address of this site for its path, and no other', () => {
    expect(localSource('http://a.example/landscapes/x.jpg', 'http://a.example')).toBe('/landscapes/x.jpg')
    expect(localSource('http://a.example.org/x.jpg', 'http://a.example')).toBe('http://a.example.org/x.jpg')
    expect(localSource('/x.jpg', '')).toBe('/x.jpg')
  })

  it.each([
    ['/landscapes/x.jpg', true],
    ['/a//b', true],
    ['//evil.example/x.png', false],
    ['/\\evil.example/x.png', false],
    ['/\t/evil.example/x.png', false],
    ['https://evil.example/x.png', false],
    ['x.jpg', false],
    ['', false],
  ])('I1 shows %j as a file of this site: %s', (source, expected) => {
    expect(isSitePath(source)).toBe(expected)
  })
})
