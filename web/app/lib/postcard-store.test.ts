import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createPostcardStore, KEPT_PER_PLACE, type PostcardStore, SHOWN_PER_PLACE } from './postcard-store.ts'

const opened: PostcardStore[] = []
const folders: string[] = []

function open(file = ':memory:', now?: () => number): PostcardStore {
  const store = createPostcardStore(file, now)
  opened.push(store)
  return store
}

afterEach(() => {
  for (const store of opened.splice(0)) store.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe('the postcard store', () => {
  it('D4 lists the postcards of one place, newest first, with their time', () => {
    let clock = Date.UTC(2026, 10, 21, 9)
    const store = open(':memory:', () => clock)
    store.add('lake', 'Ada', 'first')
    clock += 1000
    store.add('lake', 'Bob', 'second')
    store.add('hill', 'Cy', 'elsewhere')
    expect(store.list('lake')).toEqual([
      { id: 2, name: 'Bob', message: 'second', sentAt: '2026-11-21T09:00:01.000Z' },
      { id: 1, name: 'Ada', message: 'first', sentAt: '2026-11-21T09:00:00.000Z' },
    ])
    expect(store.list('nowhere')).toEqual([])
  })

  it('A3 keeps text as text, whatever it holds', () => {
    const store = open()
    const name = `Robert'); DROP TABLE postcards;--`
    store.add('lake', name, '</script><b>\u0000 🏔')
    expect(store.list('lake')[0]?.name).toBe(name)
  })

  it('A5 two processes on one file see each other, and the file outlives them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'atlas-'))
    folders.push(folder)
    const file = join(folder, 'atlas.sqlite')
    const one = open(file)
    const two = open(file)
    one.add('lake', 'Ada', 'hello')
    expect(two.list('lake')).toHaveLength(1)
    expect(open(file).list('lake')[0]?.message).toBe('hello')
  })

  it('A7 shows the newest and throws the oldest away when a place has too many', () => {
    const store = open()
    for (let count = 1; count <= KEPT_PER_PLACE + 5; count++) store.add('lake', 'Ada', `card ${count}`)
    const shown = store.list('lake')
    expect(shown).toHaveLength(SHOWN_PER_PLACE)
    expect(shown[0]?.message).toBe(`card ${KEPT_PER_PLACE + 5}`)
    // 1005 were added; ids 1 to 5 went.
    expect(shown[0]?.id).toBe(KEPT_PER_PLACE + 5)
  })
})
