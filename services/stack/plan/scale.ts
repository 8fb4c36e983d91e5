// `--scale renderer=3`: how many processes of each service one machine runs (K3).

import type { Environment } from '@portico/shared/kit/config/config.ts'
import { SERVICE_NAMES, type ServiceName } from '../service-names.ts'

export type Scale = Readonly<Record<ServiceName, number>>

/** More processes than this on one machine are a mistake: each takes the memory of a service. */
const MAX_REPLICAS = 64
const RULE = `renderer, images or actions, "=", and a whole number from 1 to ${MAX_REPLICAS}`

export const UNSCALED: Scale = { gateway: 1, renderer: 1, images: 1, actions: 1 }

interface ScaleLimits {
  isDevelopment: boolean
  environment: Environment
}

/** A value of the command line that cannot be used. */
export class OptionError extends Error {}

/** Reads the values of all `--scale` options. Throws an OptionError with one line for each fault. */
export function readScale(values: readonly string[], { isDevelopment, environment }: ScaleLimits): Scale {
  if (values.length > 0 && isDevelopment)
    throw new OptionError(
      '--scale: not under development, where one process of each service follows the edited sources',
    )
  const scale = { ...UNSCALED }
  const seen = new Set<string>()
  const faults = values.flatMap((value) => {
    const [name = '', count = '', ...rest] = value.split('=')
    const service = SERVICE_NAMES.find((each) => each === name)
    const replicas = /^\d{1,3}$/.test(count) && rest.length === 0 ? Number(count) : 0
    const fault = faultOf(service, replicas, environment) ?? (seen.has(name) ? `${name} is given twice` : undefined)
    seen.add(name)
    if (fault === undefined && service) scale[service] = replicas
    return fault === undefined ? [] : [`--scale ${value || '""'}: ${fault}`]
  })
  if (faults.length > 0) throw new OptionError(faults.join('\n'))
  return scale
}

function faultOf(service: ServiceName | undefined, replicas: number, environment: Environment): string | undefined {
  if (service === 'gateway')
    return 'the gateway cannot be scaled, because one process listens on the public port; run more machines instead'
  if (!service || replicas < 1 || replicas > MAX_REPLICAS) return `must be ${RULE}`
  if (service === 'actions' && replicas > 1 && !environment.STATE_REDIS_URL?.trim())
    return 'several actions processes need a Redis for submissions: set STATE_REDIS_URL'
  return undefined
}

/** The name of a process in logs: its service, with a number where the service has several processes. */
export function replicaName(service: ServiceName, number: number, scale: Scale): string {
  return scale[service] === 1 ? service : `${service} ${number}`
}
