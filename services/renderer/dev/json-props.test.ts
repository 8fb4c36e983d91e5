import { describe, expect, test } from 'vitest'
import { findPropFaults, propFaultsText } from '../testing.ts'

class Place {
  name = 'x'
}

describe('props as JSON', () => {
  test('D7 accepts values that JSON does not change', () => {
    const shared = { x: 1 }
    const plain = Object.assign(Object.create(null) as object, { g: 0 })
    expect(
      findPropFaults({ a: 1, b: 'x', c: null, d: [true, { e: [] }], f: plain, first: shared, second: shared }),
    ).toEqual([])
  })

  const circle: Record<string, unknown> = { inner: {} }
  ;(circle.inner as Record<string, unknown>).back = circle
  // biome-ignore lint/suspicious/noSparseArray: a hole is one of the values.
  const holes = [1, , 3]

  test.each([
    [{ user: { name: undefined } }, 'props.user.name', 'undefined; leave the member out or use null'],
    [{ list: [1, () => 1] }, 'props.list[1]', 'a function; leave the member out'],
    [{ list: holes }, 'props.list[1]', 'undefined; leave the member out or use null'],
    [{ 'two words': Symbol('x') }, 'props["two words"]', 'a symbol; use a string'],
    [{ items: [{}, { createdAt: new Date(0) }] }, 'props.items[1].createdAt', 'a Date; use date.toISOString()'],
    [{ seen: new Map() }, 'props.seen', 'a Map; use Object.fromEntries(map)'],
    [{ seen: new Set() }, 'props.seen', 'a Set; use [...set]'],
    [{ share: Number.NaN }, 'props.share', 'NaN; use null'],
    [{ share: -Infinity }, 'props.share', '-Infinity; use null'],
    [{ big: 1n }, 'props.big', 'a bigint; use a string or a number'],
    [{ bytes: new Uint8Array(1) }, 'props.bytes', 'an instance of Uint8Array; use a plain object with its members'],
    [{ place: new Place() }, 'props.place', 'an instance of Place; use a plain object with its members'],
    [{ circle }, 'props.circle.inner.back', 'a value that contains itself; leave the member out'],
  ])('D7 names the path and the remedy of the value (%#)', (props, path, what) => {
    expect(findPropFaults(props)).toEqual([{ path, what }])
  })

  test('D7 accepts promises, and returns them with their paths', () => {
    const later = Promise.resolve(1)
    const place = { path: 'props', promises: new Map<PromiseLike<unknown>, string>() }
    expect(findPropFaults({ list: [{ later }] }, place)).toEqual([])
    expect([...place.promises]).toEqual([[later, 'props.list[0].later']])
  })

  test('D7 lists all faults in one message, ten at most', () => {
    expect(propFaultsText({ a: 1 }, 'getStaticProps')).toBeUndefined()
    const rows = Array.from({ length: 12 }, () => ({ at: new Date(0) }))
    const lines = rows.slice(0, 10).map((_row, index) => `props.rows[${index}].at: a Date; use date.toISOString()`)
    expect(propFaultsText({ rows }, 'getStaticProps')?.split('\n')).toEqual([
      'getStaticProps returned values that cannot be sent as JSON:',
      ...lines,
      'and 2 more',
    ])
  })
})
