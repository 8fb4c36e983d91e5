import { describe, expect, test } from 'vitest'
import { findPropFaults } from './json-props.ts'

class Place {
  name = 'x'
}

describe('props as JSON', () => {
  test('D7 accepts values that JSON does not change', () => {
    expect(findPropFaults({ a: 1, b: 'x', c: null, d: [true, { e: [] }], f: Object.create(null) as object })).toEqual(
      [],
    )
  })

  test.each([
    [{ user: { name: undefined } }, 'props.user.name', 'undefined'],
    [{ list: [1, () => 1] }, 'props.list[1]', 'a function'],
    [{ 'two words': Symbol('x') }, 'props["two words"]', 'a symbol'],
    [{ when: new Date(0) }, 'props.when', 'a Date'],
    [{ seen: new Map() }, 'props.seen', 'a Map'],
    [{ share: Number.NaN }, 'props.share', 'NaN'],
    [{ place: new Place() }, 'props.place', 'an instance of Place'],
  ])('D7 names the path in %j', (props, path, what) => {
    const [fault, ...others] = findPropFaults(props)
    expect(others).toEqual([])
    expect(fault).toMatchObject({ path, isFatal: false })
    expect(fault?.what).toContain(what)
  })

  test('D7 distinguishes values that JSON cannot represent from values that JSON changes', () => {
    const circle: Record<string, unknown> = { inner: {} }
    ;(circle.inner as Record<string, unknown>).back = circle
    expect(findPropFaults({ circle })).toEqual([
      { path: 'props.circle.inner.back', what: 'a value that contains itself', isFatal: true },
    ])
    expect(findPropFaults({ big: 1n })).toMatchObject([{ path: 'props.big', isFatal: true }])
    const shared = { x: 1 }
    expect(findPropFaults({ a: shared, b: shared })).toEqual([])
  })
})
