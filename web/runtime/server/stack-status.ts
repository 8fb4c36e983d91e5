// stackStatus() of portico/server: what one gateway knows of the stack, for a page that shows it to an operator.

import type { StackStatus } from '../../../services/shared/wire/stack-status.ts'
import { currentContext } from './request-context.ts'

/**
 * Sums by service since the gateway started: replicas, requests, durations, failures and cache verdicts. Undefined when
 * the operator switched the figures off (`STACK_STATUS=off`). In actions and API handlers only: pages fetch them from
 * one. The gateway is read once a second at most. Rejects when no gateway responds.
 */
export async function stackStatus(): Promise<StackStatus | undefined> {
  const context = currentContext('stackStatus')
  if (!context.stackStatus)
    throw new Error(`stackStatus can be called in actions and API handlers only; this is ${context.name}.`)
  return context.stackStatus()
}
