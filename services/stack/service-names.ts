// The services of a stack.

/** The gateway is first: it stops before the services that it sends requests to. */
export const SERVICE_NAMES = ['gateway', 'renderer', 'images', 'actions'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]
