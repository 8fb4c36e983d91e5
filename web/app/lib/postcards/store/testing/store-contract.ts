// What every store of postcards promises. Each store's test opens its own.

import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ReadImage } from '../../../postcard-image/read-image.ts'
import { type Postcard, UNDO_MS } from '../../postcard.ts'
import {
  KEPT_PER_PLACE,
  KEPT_REMOVED_MS,
  type NewPostcard,
  type PostcardStore,
  type PostcardStoreOptions,
  SHOWN_PER_PLACE,
} from '../postcard-store.ts'

const START = Date.UTC(2026, 10, 21, 9)

/** The clock and the stores of one test, which are closed after it. */
interface World {
  clock: { now: number }
  keep(store: PostcardStore): PostcardStore
}

export function useWorld(): World {
  const clock = { now: START }
  let opened: PostcardStore[] = []
  beforeEach(() => {
    clock.now = START
    opened = []
  })
  afterEach(() => Promise.all(opened.map((store) => store.close())))
  return {
    clock,
    keep(store) {
      opened.push(store)
      return store
    },
  }
}

export const card = (changes: Partial<NewPostcard> = {}): NewPostcard => ({
  place: 'lake',
  name: 'Ada',
  message: 'hello',
  author: 'ada',
  ...changes,
})
export const imageOf = (text: string): ReadImage => ({
  type: 'image/png',
  width: 3,
  height: 2,
  bytes: Buffer.from(text),
})
export const nameOf = ({ picture }: Postcard) => picture?.src.split('/').at(-1) ?? ''

/** The bytes of the image with this name; undefined when it is not kept. */
export async function read(store: PostcardStore, name: string): Promise<string | undefined> {
  const image = await store.openImage(name)
  if (!image) return undefined
  const bytes = await buffer(image.read())
  await image.close()
  expect([image.type, image.bytes]).toEqual(['image/png', bytes.length])
  return bytes.toString()
}

const readAll = (store: PostcardStore, cards: Postcard[]) => Promise.all(cards.map((each) => read(store, nameOf(each))))

/** Registers the tests. All stores that `open` opens in one test have the same data. */
export function describeContract(
  { clock }: World,
  open: (options?: PostcardStoreOptions) => Promise<PostcardStore>,
): void {
  it('D4 lists the postcards of one place, newest first, with their time', async () => {
    const store = await open()
    await store.add(card({ message: 'first' }))
    clock.now += 1000
    await store.add(card({ message: 'second', name: 'Bob', author: 'bob' }))
    await store.add(card({ place: 'hill' }))
    const common = { picture: null, mine: false, removedMs: null }
    expect(await store.list('lake')).toEqual([
      { ...common, id: 2, name: 'Bob', message: 'second', sentAt: '2026-11-21T09:00:01.000Z' },
      { ...common, id: 1, name: 'Ada', message: 'first', sentAt: '2026-11-21T09:00:00.000Z' },
    ])
    expect(await store.list('nowhere')).toEqual([])
  })

  it('A3 keeps text as text, whatever it holds', async () => {
    const store = await open()
    const text = { name: `Robert'); DROP TABLE postcards;--`, message: '</script><b>\\0 $1 🏔' }
    await store.add(card(text))
    expect(await store.list('lake')).toMatchObject([text])
  })

  it('A5 two processes see the cards of each other, and the cards outlive them', async () => {
    const [one, two] = await Promise.all([open(), open()])
    await one.add(card())
    expect(await two.list('lake')).toHaveLength(1)
    expect((await (await open()).list('lake'))[0]?.message).toBe('hello')
  })

  it('A7 shows the newest and throws the oldest away when a place has too many', async () => {
    const store = await open()
    const oldest = await store.add(card({ message: 'card 1', picture: imageOf('oldest') }))
    for (let count = 2; count <= KEPT_PER_PLACE + 5; count++) await store.add(card({ message: `card ${count}` }))
    const shown = await store.list('lake')
    expect(shown).toHaveLength(SHOWN_PER_PLACE)
    expect(shown[0]?.message).toBe(`card ${KEPT_PER_PLACE + 5}`)
    expect(await store.remove(5, 'ada')).toBe(false)
    expect(await store.remove(6, 'ada')).toBe(true)
    expect(await read(store, nameOf(oldest))).toBeUndefined()
  })

  it('A3 keeps an image under a name made of its content', async () => {
    const store = await open()
    const added = await store.add(card({ picture: imageOf('pixels') }))
    expect(added.picture).toMatchObject({ width: 3, height: 2 })
    expect((await store.list('lake'))[0]?.picture).toEqual(added.picture)
    expect(nameOf(added)).toMatch(/^[0-9a-f]{64}\.png$/)
    expect(await read(store, nameOf(added))).toBe('pixels')
  })

  it('A8 finds no image under a name of another shape', async () => {
    const store = await open()
    const zeros = '0'.repeat(64)
    for (const name of ['../atlas.sqlite', '..%2fatlas.sqlite', '', 'a.png', `${zeros}.exe`, `${zeros}.png`])
      expect([name, await store.openImage(name)]).toEqual([name, undefined])
  })

  it('A5 shares an image between cards that have the same, and deletes it with the last of them', async () => {
    const store = await open()
    const one = await store.add(card({ picture: imageOf('same') }))
    const two = await store.add(card({ picture: imageOf('same') }))
    expect(nameOf(one)).toBe(nameOf(two))
    await store.remove(one.id, 'ada')
    clock.now += KEPT_REMOVED_MS
    await store.purge()
    expect(await read(store, nameOf(two))).toBe('same')
    await store.remove(two.id, 'ada')
    clock.now += KEPT_REMOVED_MS
    await store.purge()
    expect(await read(store, nameOf(two))).toBeUndefined()
  })

  it('A7 takes the images of the oldest cards when all images need too much room', async () => {
    const store = await open({ imagesLimitBytes: 10 })
    const cards: Postcard[] = []
    for (const text of ['aaaa', 'bbbb', 'cccc']) cards.push(await store.add(card({ picture: imageOf(text) })))
    expect((await store.list('lake')).map((each) => each.picture !== null)).toEqual([true, true, false])
    expect(await readAll(store, cards)).toEqual([undefined, 'bbbb', 'cccc'])
  })

  it('A7 counts images when a card brings one, not at every card', async () => {
    const store = await open()
    const cards = [
      await store.add(card({ picture: imageOf('aaaa') })),
      await store.add(card({ picture: imageOf('bbbb') })),
    ]
    const narrow = await open({ imagesLimitBytes: 6 })
    await narrow.add(card())
    expect(await readAll(store, cards)).toEqual(['aaaa', 'bbbb'])
    await narrow.add(card({ picture: imageOf('cc') }))
    expect((await narrow.list('lake')).map((each) => each.picture !== null)).toEqual([true, false, true, false])
    expect(await readAll(store, cards)).toEqual([undefined, 'bbbb'])
  })

  it('A1 takes a card down for its writer alone', async () => {
    const store = await open()
    const { id } = await store.add(card())
    expect((await store.list('lake', 'ada'))[0]?.mine).toBe(true)
    expect((await store.list('lake', 'bob'))[0]?.mine).toBe(false)
    expect(await store.remove(id, 'bob')).toBe(false)
    expect(await store.remove(id, '')).toBe(false)
    expect(await store.list('lake')).toHaveLength(1)
    expect(await store.remove(id, 'ada')).toBe(true)
    expect(await store.remove(id, 'ada')).toBe(false)
    expect(await store.list('lake')).toEqual([])
    expect(await store.list('lake', 'bob')).toEqual([])
  })

  it('A1 shows a card that was taken down to its writer for as long as a page offers to undo it', async () => {
    const store = await open()
    const { id } = await store.add(card())
    await store.remove(id, 'ada')
    clock.now += UNDO_MS - 1
    expect(await store.list('lake', 'ada')).toMatchObject([{ id, removedMs: UNDO_MS - 1 }])
    clock.now += 1
    expect(await store.list('lake', 'ada')).toEqual([])
  })

  it('A1 restores a card for its writer, with the image, until the card is deleted', async () => {
    const store = await open()
    const added = await store.add(card({ picture: imageOf('pixels') }))
    const { id, picture } = added
    await store.remove(id, 'ada')
    clock.now += KEPT_REMOVED_MS - 1
    await store.purge()
    expect(await store.restore(id, 'bob')).toBe(false)
    expect(await store.restore(id, 'ada')).toBe(true)
    expect(await store.list('lake', 'ada')).toMatchObject([{ id, picture, removedMs: null }])
    await store.remove(id, 'ada')
    clock.now += KEPT_REMOVED_MS
    expect(await store.restore(id, 'ada')).toBe(false)
    await store.purge()
    expect([await store.restore(id, 'ada'), await read(store, nameOf(added))]).toEqual([false, undefined])
  })
}
