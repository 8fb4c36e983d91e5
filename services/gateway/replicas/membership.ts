// The members of a service (G2): its URLs, each looked up repeatedly in the system's resolver, which returns literal
// addresses without a query. The members of a URL are kept while the resolver fails for it or returns no address, and a
// member that the resolver has dropped while its process responds: container networks drop the name of a process that stops
// before the process ends (O12).

import { placeName, portOf, type ServiceAddress } from '@portico/shared/kit/config/service-addresses.ts'

/** One process of a service. */
export interface Place {
  readonly address: string
  readonly port: number
  /** The port of `/readyz` and of control. */
  readonly innerPort: number
  /** Address and port, for example `10.0.0.7:8080`: the member's identity. */
  readonly name: string
  /** The URL of the service that led to this process. */
  readonly source: ServiceAddress
}

interface MembershipOptions<T> {
  addresses: readonly ServiceAddress[]
  lookup: (host: string) => Promise<string[]>
  create: (place: Place) => T
  /** The first probe of a new member; the look-up ends with it. */
  onAdded: (member: T) => Promise<void>
  /** The resolver returned the address of a known member. */
  onListed?: (member: T) => void
  /** Whether the process that the resolver listed at this address still responds. */
  responds?: (member: T) => boolean
  /** The URLs no longer lead to the member. */
  onRemoved: (member: T) => void
}

export interface Membership<T> {
  list(): readonly T[]
  /** One look-up at a time: a call during a look-up changes nothing. */
  lookUp(): Promise<void>
  close(): void
}

export function createMembership<T extends Place>(options: MembershipOptions<T>): Membership<T> {
  const { addresses, lookup, create, onAdded, onListed, responds = () => false, onRemoved } = options
  let members: T[] = []
  let isLookingUp = false
  let isClosed = false

  const placesOf = async (source: ServiceAddress): Promise<readonly Place[]> => {
    // The name does not resolve: the known addresses are kept, and the next look-up is in two seconds.
    const found = await lookup(source.url.hostname).catch((): string[] => [])
    // An empty response is more often a failure of the resolver than a service without replicas.
    if (found.length === 0) return members.filter((member) => member.source === source)
    return found.map((address) => placeOf(address, source))
  }

  const follow = async (places: readonly Place[]) => {
    if (isClosed) return
    const found = new Map(places.map((place) => [place.name, place]))
    const known = new Set(members.map(({ name }) => name))
    if (onListed) for (const member of members) if (found.has(member.name)) onListed(member)
    const removed = members.filter((member) => !found.has(member.name) && !responds(member))
    const added = [...found.values()].filter(({ name }) => !known.has(name)).map(create)
    members = [...members.filter((member) => !removed.includes(member)), ...added]
    for (const member of removed) onRemoved(member)
    await Promise.all(added.map(onAdded))
  }

  return {
    list: () => members,
    async lookUp() {
      if (isLookingUp || isClosed) return
      isLookingUp = true
      try {
        await follow((await Promise.all(addresses.map(placesOf))).flat())
      } finally {
        isLookingUp = false
      }
    },
    close() {
      isClosed = true
    },
  }
}

function placeOf(address: string, source: ServiceAddress): Place {
  const port = portOf(source.url)
  return { address, port, innerPort: portOf(source.innerUrl), name: placeName(address, port), source }
}
