// The choice of a page's home.

import { describe, expect, it } from 'vitest'
import { hashText } from '../replicas/choice.ts'
import { type MemberState, NEW_MEMBER } from '../replicas/member-state.ts'
import { homeOf } from './home.ts'

const member = (name: string, state: Partial<MemberState> = {}) => ({
  name,
  seed: hashText(name),
  state: { ...NEW_MEMBER, probed: 'ready' as const, version: 'build1.a', ...state },
})
const pages = Array.from({ length: 300 }, (_, index) => `["${index}"] /posts/[id]`)
const homes = (members: ReturnType<typeof member>[]) =>
  pages.map((page) => homeOf(members, { build: 'build1', page, now: 0 })?.name)

describe('homeOf', () => {
  const all = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((name) => member(name))

  it('C1 gives each page one home, whatever the order of the addresses, and shares the pages evenly', () => {
    const found = homes(all)
    expect(homes([...all].reverse())).toEqual(found)
    for (const { name } of all) expect(found.filter((each) => each === name).length).toBeGreaterThan(70)
  })

  it('C1 moves only the pages of a renderer that is not ready', () => {
    const before = homes(all)
    const after = homes([member('10.0.0.1', { probed: 'not-ready' }), ...all.slice(1)])
    expect(after).not.toContain('10.0.0.1')
    for (const [index, name] of before.entries()) if (name !== '10.0.0.1') expect(after[index]).toBe(name)
  })

  it('C3 chooses the next renderer of the order instead of one that failed', () => {
    const [page] = pages as [string]
    const first = homeOf(all, { build: 'build1', page, now: 0 })!
    const second = homeOf(all, { build: 'build1', page, now: 0, except: first })
    expect(second).toBe(
      homeOf(
        all.filter((each) => each !== first),
        { build: 'build1', page, now: 0 },
      ),
    )
  })

  it('C2 chooses among the renderers of the build, and one for all versions of it', () => {
    const [page] = pages as [string]
    const before = homeOf(all, { build: 'build1', page, now: 0 })!.name
    const updated = all.map(({ name }, index) => member(name, { version: `build1.${index}` }))
    expect(homeOf(updated, { build: 'build1', page, now: 0 })!.name).toBe(before)
    expect(homeOf(all, { build: 'build2', page, now: 0 })).toBeUndefined()
    const one = member('10.0.0.9', { version: 'build2.a' })
    expect(homeOf([...all, one], { build: 'build2', page, now: 0 })).toBe(one)
  })

  it('C1 has no home without a ready renderer', () => {
    for (const state of [
      { probed: 'refused' },
      { pausedUntil: 1 },
      { version: undefined },
      { probed: undefined },
    ] as const)
      expect(homeOf([member('10.0.0.1', state)], { build: 'build1', page: '/', now: 0 })).toBeUndefined()
  })
})
