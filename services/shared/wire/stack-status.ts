// Figures of the whole stack as code of the site may show them: sums by service, never an address, a name of a machine
// or a secret. Counts only ever grow, so two statuses make a rate.

export const STACK_SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
export type StackServiceName = (typeof STACK_SERVICES)[number]

/** How long things took: of `count` observations, `atMost[i]` took `bounds[i]` seconds or less. */
export interface Distribution {
  count: number
  /** Seconds of all observations together. */
  sum: number
  /** Ascending, in seconds. */
  bounds: number[]
  atMost: number[]
}

export interface ServiceFigures {
  name: StackServiceName
  /** Replicas that the resolver knows, and those of them that said they are ready. */
  replicas: { known: number; ready: number }
  /** Requests as the gateways saw them; those of the gateway are all. */
  requests: Distribution
  /** Requests that were answered 5xx. */
  failed: number
  /** Processor time, summed over replicas. */
  cpuSeconds: number
  /** Memory held now, summed over replicas. */
  memoryBytes: number
}

export interface ImageFigures {
  /** Answers by cache verdict; `failed` had no picture. */
  answers: { hit: number; stale: number; miss: number; fallback: number; failed: number }
  /** Time of encoding one variant. */
  encode: Distribution
  /** Jobs now. */
  queue: { waiting: number; running: number }
}

export interface PageFigures {
  /** Pages that are the same for all visitors, by verdict of the page cache; `fallback` got a shell at first. */
  answers: { hit: number; stale: number; miss: number; fallback: number }
}

export interface StackStatus {
  /** When the figures were read, in milliseconds since the epoch. */
  at: number
  /** The build that the answering replica of the actions service runs. */
  buildId: string
  services: ServiceFigures[]
  images: ImageFigures
  pages: PageFigures
}
