// stackStatus() of portico/server: one gateway's view of the stack, for a page for operators.

import type { StackStatus } from '@portico/shared/wire/stack-status.ts'
import { currentContext } from '../request-context.ts'

/**
 * Returns sums by service since one gateway started: replicas, requests, durations, failures and cache verdicts. Undefined
 * when the operator switched the figures off (`STACK_STATUS=off`). The gateway is read once a second at most. Rejects when
 * no gateway responds. Throws outside of actions and API handlers: a page fetches the figures from an API handler.
 *
 * @example
 * ```ts
 * // pages/api/load.ts
 * import type { ApiHandler } from 'portico'
 * import { stackStatus } from 'portico/server'
 *
 * const handler: ApiHandler = async (_request, response) => {
 *   const status = await stackStatus()
 *   if (!status) return response.status(404).end()
 *   response.json({ services: status.services.map(({ name, replicas }) => ({ name, replicas })) })
 * }
 * export default handler
 * ```
 */
export async function stackStatus(): Promise<StackStatus | undefined> {
  const context = currentContext('stackStatus')
  if (!context.stackStatus)
    throw new Error(`stackStatus can be called in actions and API handlers only; this is ${context.name}.`)
  return context.stackStatus()
}
