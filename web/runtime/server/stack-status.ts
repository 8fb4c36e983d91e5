// stackStatus() of portico/server: what the four services are doing, for a page that shows it to an operator.

import type { StackStatus } from '../../../services/shared/wire/stack-status.ts'
import { currentContext } from './request-context.ts'

/**
 * Sums by service since the answering replica first saw them: replicas, requests, processor, memory, picture cache and
 * queue. Undefined when the operator switched it off (`STACK_STATUS=off`). In actions and API handlers only: pages
 * fetch it from one. However often it is called, the services are read once a second at most.
 */
export async function stackStatus(): Promise<StackStatus | undefined> {
  const context = currentContext('stackStatus')
  if (!context.stackStatus)
    throw new Error(`stackStatus can be called in actions and API handlers only; this is ${context.name}.`)
  return context.stackStatus()
}
