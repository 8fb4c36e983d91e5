// The addresses of a service's name (G2), looked up repeatedly in the system's resolver. Members are kept while the
// resolver fails or returns no address.

export interface MembershipOptions<T> {
  host: string
  lookup: (host: string) => Promise<string[]>
  create: (address: string) => T
  /** The first probe of a new member; the look-up ends with it. */
  onAdded: (member: T) => Promise<void>
  /** The name no longer has the member's address. */
  onRemoved: (member: T) => void
}

export interface Membership<T> {
  list(): readonly T[]
  /** One look-up at a time: a call during a look-up changes nothing. */
  lookUp(): Promise<void>
  close(): void
}

export function createMembership<T extends { readonly address: string }>(options: MembershipOptions<T>): Membership<T> {
  const { host, lookup, create, onAdded, onRemoved } = options
  let members: T[] = []
  let isLookingUp = false
  let isClosed = false

  const follow = async (addresses: ReadonlySet<string>) => {
    // An empty response is more often a failure of the resolver than a service without replicas.
    if (isClosed || addresses.size === 0) return
    const known = new Set(members.map(({ address }) => address))
    const removed = members.filter(({ address }) => !addresses.has(address))
    const added = [...addresses].filter((address) => !known.has(address)).map(create)
    members = [...members.filter(({ address }) => addresses.has(address)), ...added]
    for (const member of removed) onRemoved(member)
    await Promise.all(added.map(onAdded))
  }

  return {
    list: () => members,
    async lookUp() {
      if (isLookingUp || isClosed) return
      isLookingUp = true
      try {
        await follow(new Set(await lookup(host)))
      } catch {
        // The name does not resolve: the known addresses are kept, and the next look-up is in two seconds.
      } finally {
        isLookingUp = false
      }
    },
    close() {
      isClosed = true
    },
  }
}
