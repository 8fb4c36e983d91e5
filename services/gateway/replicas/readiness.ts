// For which replicas a gateway waits before it is ready for the first time (O12). Pure.

import { SERVICE_NAMES, type ServiceName } from '../routes.ts'

/** A service of which no replica that counts was ready. */
export interface AwaitedService {
  readonly service: ServiceName
  /** The builds of those that were ready. */
  readonly others: readonly string[]
}

interface Readiness {
  /** The build of the gateway; undefined where replicas of every build count. */
  readonly build: string | undefined
  readonly awaited: readonly AwaitedService[]
}

/** A replica was ready. `build` is undefined for a service without builds. */
interface ReadinessEvent {
  readonly service: ServiceName
  readonly build: string | undefined
}

export function createReadiness(build: string | undefined): Readiness {
  return { build, awaited: SERVICE_NAMES.map((service) => ({ service, others: [] })) }
}

/**
 * Images are of no build. With a renderer or actions of another build a gateway would send nothing of its own build: it would
 * take the place of a gateway that can.
 */
export function reduceReadiness(state: Readiness, { service, build }: ReadinessEvent): Readiness {
  const counts = service === 'images' || state.build === undefined || build === state.build
  const awaited = state.awaited.flatMap((each) => {
    if (each.service !== service) return each
    if (counts) return []
    if (build === undefined || each.others.includes(build)) return each
    return { service, others: [...each.others, build] }
  })
  return { ...state, awaited }
}

/** Why a gateway is not ready yet. */
export function awaitedReason({ service, others }: AwaitedService, build: string): string {
  if (service === 'images') return 'no replica of images has been ready yet'
  const text = `no replica of ${service} of build ${build} has been ready yet`
  return others.length === 0 ? text : `${text}; those that were ready serve ${others.join(', ')}`
}
