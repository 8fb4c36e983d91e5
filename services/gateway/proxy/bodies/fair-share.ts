// A bounded amount that clients share (A7, G8): when the amount is used up, the address that holds most loses its oldest
// item to an address that holds less, so that no client can exclude the others. Pure: the caller ends the displaced items.

export interface FairShare<T> {
  readonly capacity: number
  held: number
  /** Items with their weights by address, the oldest first. */
  readonly groups: Map<string, Group<T>>
}

interface Group<T> {
  readonly address: string
  held: number
  items: Map<T, number>
}

export function createFairShare<T>(capacity: number): FairShare<T> {
  return { capacity, held: 0, groups: new Map() }
}

/**
 * Adds an item. Returns the items that were removed to make room. Undefined: there is no room for the item, because its
 * own address holds as much as any other. Such an address loses the new item and not its oldest one: an item that is
 * refused at its start costs least.
 */
export function addItem<T>(share: FairShare<T>, address: string, item: T, weight: number): readonly T[] | undefined {
  const own = share.groups.get(address)?.held ?? 0
  if (weight > share.capacity) return undefined
  const displaced: T[] = []
  while (share.held + weight > share.capacity) {
    const heaviest = heaviestOther(share, address)
    // An address that holds nothing gets room even among equals. Once an item of another address is removed, the items
    // that make the rest of the room are removed, too.
    if (!heaviest || (displaced.length === 0 && own > 0 && heaviest.held <= own + weight)) return undefined
    const [oldest] = heaviest.items.keys()
    // A group without items is removed: there is an oldest item.
    removeItem(share, heaviest.address, oldest!)
    displaced.push(oldest!)
  }
  const group = share.groups.get(address) ?? { address, held: 0, items: new Map() }
  share.groups.set(address, group)
  group.items.set(item, weight)
  group.held += weight
  share.held += weight
  return displaced
}

/** Removes an item, if the share has the item. */
export function removeItem<T>(share: FairShare<T>, address: string, item: T): void {
  const group = share.groups.get(address)
  const weight = group?.items.get(item)
  if (!group || weight === undefined) return
  group.items.delete(item)
  group.held -= weight
  share.held -= weight
  if (group.items.size === 0) share.groups.delete(address)
}

function heaviestOther<T>({ groups }: FairShare<T>, own: string): Group<T> | undefined {
  let heaviest: Group<T> | undefined
  for (const group of groups.values()) if (group.address !== own && group.held > (heaviest?.held ?? 0)) heaviest = group
  return heaviest
}
