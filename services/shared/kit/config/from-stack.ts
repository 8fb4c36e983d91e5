// What a stack of one machine decides for the services that it starts. It is one variable of their environment, which no
// operator sets, and so no setting (W5).

/** docker/compose.dev.yml sets it, too. */
export const FROM_STACK = 'PORTICO_STACK'

export interface FromStack {
  /** The sources of the app folder are served. */
  isDevelopment?: boolean
  /** Address of the listeners that only services reach, in the place of HOST. */
  innerHost?: string
  /** What code of the site reads in PORT, where it is not the port of its service. */
  appPort?: number
  /** The inner ports of services that share an address: a URL for each of the service's own, in the same order. */
  innerUrls?: Partial<Record<'gateway' | 'renderer' | 'images' | 'actions', readonly string[]>>
}

/** The variable as part of an environment. */
export function fromStack(values: FromStack): Record<typeof FROM_STACK, string> {
  return { [FROM_STACK]: JSON.stringify(values) }
}

/** Throws for a text that `fromStack` has not written. */
export function parseFromStack(text: string | undefined): FromStack {
  if (!text) return {}
  const { isDevelopment, innerHost, appPort, innerUrls } = JSON.parse(text) as Record<string, unknown>
  const lists = Object.entries(innerUrls ?? {}).map(([service, urls]) => [service, (urls as unknown[]).map(String)])
  return {
    isDevelopment: isDevelopment === true,
    ...(typeof innerHost === 'string' && { innerHost }),
    ...(typeof appPort === 'number' && { appPort }),
    innerUrls: Object.fromEntries(lists),
  }
}
