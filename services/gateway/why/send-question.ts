// Sends a question to a gateway's inner port, for the command.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { postInner } from '../control/post-inner.ts'
import { WHY_PATH, type WhyExplanation, type WhyQuestion } from './explanation.ts'

/** Never rejects. `fault` names the gateway, what it said, and what helps. */
export async function sendQuestion(
  { innerUrl, token }: { innerUrl: URL; token: string },
  question: WhyQuestion,
): Promise<{ explanation: WhyExplanation } | { fault: string }> {
  const reply = await postInner({ innerUrl, token }, WHY_PATH, question)
  const { host } = innerUrl
  if ('fault' in reply)
    return { fault: `the gateway at ${host} cannot be reached: ${reply.fault}; ${REMEDIES.unreachable}` }
  const { status, json, text } = reply
  const explanation = status === 200 ? parseExplanation(json) : undefined
  if (explanation) return { explanation }
  const remedy = REMEDIES[status]
  const said = status === 200 ? 'not an explanation' : text
  return { fault: `the gateway at ${host} responded ${status}: ${said}${remedy === undefined ? '' : `; ${remedy}`}` }
}

const REMEDIES: Readonly<Record<string | number, string>> = {
  unreachable:
    'start the stack, run the command where the gateway runs, or set INNER_PORT or DATA_DIR to those of the gateway',
  401: 'set STACK_TOKEN to the token of the stack',
  403: 'set STACK_TOKEN to the token of the stack',
  404: 'the program there is an earlier gateway or another service: INNER_PORT must be that of a gateway of this version',
}

/** Undefined for the JSON of another program; members that the command does not show may have any form. */
function parseExplanation(json: unknown): WhyExplanation | undefined {
  if (!isRecord(json) || !isRecord(json.request)) return undefined
  const lists = [json.steps, json.replicas, json.limits]
  // The gateway and the command are of one version: members are not compared one by one.
  return lists.every(Array.isArray) ? (json as unknown as WhyExplanation) : undefined
}
