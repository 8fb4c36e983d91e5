// Figures of the whole stack that code of the site may show: sums by service, never an address, a name of a machine or
// a secret. Counts never decrease, so two statuses give a rate.

export const STACK_SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
export type StackServiceName = (typeof STACK_SERVICES)[number]

/** Durations: of `count` observations, `atMost[i]` took `bounds[i]` seconds or less. */
export interface Distribution {
  count: number
  /** Sum of all observations, in seconds. */
  sum: number
  /** Ascending, in seconds. */
  bounds: number[]
  atMost: number[]
}

export interface ServiceFigures {
  name: StackServiceName
  /** Replicas that the resolver knows, and how many of them report ready. */
  replicas: { known: number; ready: number }
  /** Requests that the gateways counted; for the gateway: all requests. */
  requests: Distribution
  /** Requests with a 5xx response. */
  failed: number
  /** Processor time of all replicas. */
  cpuSeconds: number
  /** Current memory of all replicas. */
  memoryBytes: number
}

export interface ImageFigures {
  /** Responses by cache verdict; `failed` contained no image. */
  answers: { hit: number; stale: number; miss: number; fallback: number; failed: number }
  /** Time of encoding one variant. */
  encode: Distribution
  /** Current jobs. */
  queue: { waiting: number; running: number }
}

export interface PageFigures {
  /** Responses with pages that are the same for all clients, by cache verdict; `fallback` sent a shell first. */
  answers: { hit: number; stale: number; miss: number; fallback: number }
}

/** The figures of the stack at one time. */
export interface StackStatus {
  /** Time of reading, in milliseconds since the epoch. */
  at: number
  /** The build of the actions replica that read the figures. */
  buildId: string
  services: ServiceFigures[]
  images: ImageFigures
  pages: PageFigures
}
