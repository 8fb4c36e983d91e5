// The inner ports of a service for a caller that does not probe them: what the resolver says, in turns, with a rest for those
// that did not respond.

import { placeName, portOf } from '../config/service-addresses.ts'
import { lookupAll } from '../life/replica-probe.ts'
import type { InnerPlace } from './inner-client.ts'

/** A replica that did not respond is not chosen for this long where there is another one. */
const AVOIDED_MS = 5000
/** More replicas than a stack has. */
const MOST_CONFIRMED = 1000
const NONE: ReadonlySet<string> = new Set()
/** Addresses are looked up again after this time. */
const KNOWN_MS = 1000

export interface NamedPlace extends InnerPlace {
  /** As `placeName` writes it. */
  name: string
}

export interface Places {
  /** Rejects when the signal aborts, and when no address is known. Returns a tried place where there is no other. */
  choose(signal: AbortSignal, tried?: ReadonlySet<string>): Promise<NamedPlace>
  /** The place responded. */
  confirm(place: NamedPlace): void
  /** For a while: a replica that was late still is one of the build, even where the resolver has dropped it. */
  avoid(name: string): void
  /** Nothing listens there any more, or another build does. */
  forget(name: string): void
}

interface PlacesOptions {
  /** Each host may resolve to many replicas. */
  innerUrls: readonly URL[]
  /** All addresses of a host name; default: the system's resolver. */
  lookup?: (host: string) => Promise<string[]>
}

export function createPlaces({ innerUrls, lookup = lookupAll }: PlacesOptions): Places {
  const avoidedUntil = new Map<string, number>()
  let known: { places: NamedPlace[]; until: number } | undefined
  /** Those of the build that responded: the resolver drops one that stops before it ends. */
  const confirmed = new Map<string, NamedPlace>()
  let turn = 0
  const isAvoided = ({ name }: NamedPlace) => (avoidedUntil.get(name) ?? 0) > performance.now()
  /** What each URL led to: used while the resolver fails, or returns no address, as it does when all replicas stop. */
  const found = new Map<URL, NamedPlace[]>()
  const placesOf = async (url: URL): Promise<NamedPlace[]> => {
    const innerPort = portOf(url)
    const before = found.get(url)
    const addresses = await lookup(url.hostname).catch((error: unknown) => {
      if (!before) throw error
      return []
    })
    const places = addresses.map((address) => ({ address, innerPort, name: placeName(address, innerPort) }))
    if (places.length === 0) return before ?? []
    found.set(url, places)
    return places
  }
  const avoid = (name: string): void => {
    for (const [each, until] of avoidedUntil) if (until <= performance.now()) avoidedUntil.delete(each)
    avoidedUntil.set(name, performance.now() + AVOIDED_MS)
  }
  return {
    async choose(signal, tried = NONE) {
      if (!known || known.until <= performance.now()) {
        const places = await unlessAborted(Promise.all(innerUrls.map(placesOf)), signal)
        known = { places: places.flat(), until: performance.now() + KNOWN_MS }
      }
      const { places } = known
      const isUsable = (place: NamedPlace) => !isAvoided(place) && !tried.has(place.name)
      const usable = places.filter(isUsable)
      const place =
        usable[turn++ % usable.length] ??
        [...confirmed.values()].find(isUsable) ??
        // Late a moment ago, and perhaps the last one of this build.
        [...confirmed.values()].find(({ name }) => !tried.has(name)) ??
        places[0]
      if (place === undefined) throw new Error(`${innerUrls.map(({ host }) => host).join(', ')} has no address`)
      return place
    },
    confirm(place) {
      confirmed.set(place.name, place)
      if (confirmed.size > MOST_CONFIRMED) confirmed.delete(confirmed.keys().next().value!)
    },
    avoid,
    forget(name) {
      confirmed.delete(name)
      avoid(name)
    },
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_done, fail) => {
    if (signal.aborted) fail(signal.reason)
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
  })
  return Promise.race([promise, aborted])
}
