// A bounded amount that clients share (A7, G8): when it is full, the address that holds most loses its oldest item to an
// address that holds less, so that a client that takes everything excludes no other. Pure: the caller ends what was
// displaced.

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
 * Takes an item in and returns the items that lost their place to it, already taken out. Undefined: the item has no room,
 * because its own address holds as much as any other. Such an address loses the newcomer and not its oldest item: what is
 * refused at its start costs least.
 */
export function takeIn<T>(share: FairShare<T>, address: string, item: T, weight: number): readonly T[] | undefined {
  const own = share.groups.get(address)?.held ?? 0
  if (weight > share.capacity) return undefined
  const displaced: T[] = []
  while (share.held + weight > share.capacity) {
    const heaviest = heaviestOther(share, address)
    // An address that holds nothing has its place even among equals. Once an item of another address is out, what makes
    // the rest of the room is out, too.
    if (!heaviest || (displaced.length === 0 && own > 0 && heaviest.held <= own + weight)) return undefined
    const [oldest] = heaviest.items.keys()
    // A group without items is removed: there is an oldest item.
    takeOut(share, heaviest.address, oldest!)
    displaced.push(oldest!)
  }
  const group = share.groups.get(address) ?? { address, held: 0, items: new Map() }
  share.groups.set(address, group)
  group.items.set(item, weight)
  group.held += weight
  share.held += weight
  return displaced
}

/** Takes an item out, if it is there. */
export function takeOut<T>(share: FairShare<T>, address: string, item: T): void {
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
