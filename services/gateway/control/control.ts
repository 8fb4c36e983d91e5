// What the processes that serve clients need of the one that owns it: in a gateway of one process both are the same.

import type { GenerationReader } from '@portico/shared/kit/feed/generations.ts'
import type { Probe } from '@portico/shared/kit/life/replica-probe.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { StackToken } from './stack-token.ts'

/** Name of the connections to the marks in Redis. */
export const MARKS_CLIENT = 'portico-gateway'

export interface Control {
  /** Reads the marks of the state store. Undefined where no pages are kept. */
  marks: GenerationReader | undefined
  /** All addresses of a host. */
  lookup(host: string): Promise<string[]>
  /** `relying`: see probeReady. */
  probe(address: string, port: number, timeoutMs: number, relying?: string): Promise<Probe>
  token: Pick<StackToken, 'current'>
  /** Undefined where no limit is set. */
  postLimit: ClientLimit | undefined
  /** Resolves when the files of the build are published, or could not be: no page is sent before. */
  published(): Promise<void>
}
