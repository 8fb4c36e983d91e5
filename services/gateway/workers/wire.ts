// The calls between the primary process of a gateway and its workers. All arguments and results are plain data.

import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { Registry } from '@prometheus-io/client'
import type { ServingFigures } from '../control/control.ts'
import type { WhyExplanation, WhyQuestion } from '../explanation.ts'
import type { AwaitedService } from '../replicas/replicas.ts'

export type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What a worker has counted and knows. */
export interface Snapshot {
  metrics: Metrics
  figures: ServingFigures
}

interface WorkerReport {
  /** The worker accepts connections. */
  isListening: boolean
  awaited: readonly AwaitedService[]
}

/** What the primary does for workers. */
export type PrimaryCalls = {
  /**
   * The first call of a worker, as soon as it can apply messages. Returns messages that the store of the marks may lack.
   */
  join(buildId: string): InvalidationMessage[]
  /** Rejects while the token is not known. */
  token(argument: undefined): string
  /** Milliseconds until the next turn of the client. */
  takeTurn(address: string): Promise<number>
  published(argument: undefined): Promise<void>
  report(report: WorkerReport): void
  /** The last snapshot of a worker that stops. */
  leave(snapshot: Snapshot): void
}

/** What workers do for the primary. */
export type WorkerCalls = {
  apply(messages: InvalidationMessage[]): void
  snapshot(argument: undefined): Promise<Snapshot>
  explain(question: WhyQuestion): Promise<WhyExplanation>
  /** A successor serves new connections. */
  retire(argument: undefined): void
}
