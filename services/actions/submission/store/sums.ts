// Counts the bytes of clients, addresses and the whole store, for stores without their own sums.

import type { Budgets, Holder } from './store.ts'

interface Entry {
  address: string
  bytes: number
}

export function createSums() {
  const clients = new Map<string, number>()
  const addresses = new Map<string, number>()
  let total = 0
  // A heap, the largest first. An entry is stale when its bytes differ from the current bytes of the address.
  let heap: Entry[] = []
  const isCurrent = ({ address, bytes }: Entry) => addresses.get(address) === bytes
  return {
    /** `bytes` may be negative. */
    add({ client, address }: Holder, bytes: number): void {
      total += bytes
      addTo(clients, client, bytes)
      addTo(addresses, address, bytes)
      const held = addresses.get(address)
      if (held !== undefined) push(heap, { address, bytes: held })
      if (heap.length > 2 * addresses.size + 1024)
        heap = [...addresses].map(([name, sum]) => ({ address: name, bytes: sum })).sort((a, b) => b.bytes - a.bytes)
    },
    held: ({ client, address }: Holder): Budgets => ({
      client: clients.get(client) ?? 0,
      address: addresses.get(address) ?? 0,
      total,
    }),
    /** The address that holds most. */
    largestAddress(): string | undefined {
      while (heap[0] && !isCurrent(heap[0])) pop(heap)
      return heap[0]?.address
    },
    clear(): void {
      clients.clear()
      addresses.clear()
      heap = []
      total = 0
    },
  }
}

function addTo(sums: Map<string, number>, name: string, bytes: number): void {
  const sum = (sums.get(name) ?? 0) + bytes
  if (sum <= 0) sums.delete(name)
  else sums.set(name, sum)
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    if (heap[above]!.bytes >= entry.bytes) break
    heap[at] = heap[above]!
    at = above
  }
  heap[at] = entry
}

/** Removes the first entry. */
function pop(heap: Entry[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below + 1 < heap.length && heap[below + 1]!.bytes > heap[below]!.bytes) below++
    if (below >= heap.length || heap[below]!.bytes <= last.bytes) break
    heap[at] = heap[below]!
    at = below
  }
  heap[at] = last
}
