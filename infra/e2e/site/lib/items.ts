// The items of the second site: fixed content without a store.

export interface Item {
  id: string
  title: string
}

const items: Item[] = ['one', 'two', 'three', 'four', 'five', 'six'].map((id) => ({ id, title: `Item ${id}` }))

export function listItems(): Item[] {
  return items
}

export function findItem(id: unknown): Item | undefined {
  return items.find((item) => item.id === id)
}
