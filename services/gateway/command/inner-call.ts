// The calls of commands to the inner port of the gateway, with the token of the stack, and the parsing of the responses.

import { plainHost } from '@portico/shared/kit/addresses/plain-host.ts'
import { portOf } from '@portico/shared/kit/config/service-addresses.ts'
import { createInnerClient } from '@portico/shared/kit/inner/inner-client.ts'
import { loadSecretFile } from '@portico/shared/kit/secrets/open-secrets.ts'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'
import type { CommandConfig } from '../config.ts'
import { WHY_PATH, type WhyExplanation, type WhyQuestion } from '../explanation.ts'

/** Makes no token: one that no service knows would reach nothing. */
export async function readCommandToken({
  stackToken,
  store,
}: CommandConfig): Promise<{ token: string } | { fault: string }> {
  try {
    return { token: stackToken ?? (await readStored(store)) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { fault: `STACK_TOKEN is not set: must be the token of the stack, or be in its state store: ${reason}` }
  }
}

async function readStored({ stateRedisUrl, dataDir }: CommandConfig['store']): Promise<string> {
  if (!stateRedisUrl) return loadSecretFile('stack-token', dataDir, { mustExist: true })
  const { readSecret } = await import('@portico/shared/kit/secrets/operate-secrets.ts')
  return readSecret('stack-token', stateRedisUrl)
}

const TIMEOUT_MS = 10_000
const RESPONSE_LIMIT_BYTES = 1024 * 1024

/** `json`: undefined for the response of another program. `text`: the sentence of an error response (E2), else the whole body. */
type InnerReply = { status: number; json: unknown; text: string } | { fault: string }

/** Posts `body` as JSON, through a connection that is closed after the response. Never rejects. */
async function postInner(
  { innerUrl, token }: { innerUrl: URL; token: string },
  path: string,
  body: object,
): Promise<InnerReply> {
  const client = createInnerClient({
    token: () => token,
    timeoutMs: TIMEOUT_MS,
    limitBytes: RESPONSE_LIMIT_BYTES,
    takesAnyStatus: true,
  })
  const place = { address: plainHost(innerUrl.hostname), innerPort: portOf(innerUrl) }
  const result = await client.send(place, { path, json: JSON.stringify(body), isRepeatable: true })
  client.close()
  if (result.kind === 'fault') return { fault: result.error.message }
  const text = result.bytes.toString()
  const json = parseJson(text)
  return { status: result.status, json, text: sentenceOf(json) ?? text }
}

function sentenceOf(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined
  const { message, title } = isRecord(json.error) ? json.error : {}
  return [message, title, json.rule].find((text) => typeof text === 'string')
}

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

/** What the inner ports made of one purge; `where` has the processes, as in "1 gateway, 2 of 3 renderers". */
export type PurgeResult = { generation: number; where: string } | { fault: string }

interface PurgeSender {
  innerUrl: URL
  token: string
}

/** Sends a purge of pages and data to a gateway, which notifies the others. Never rejects. */
export async function purgePages(sender: PurgeSender, body: object): Promise<PurgeResult> {
  const result = await send(sender, body)
  return 'fault' in result ? result : { generation: result.generation, where: listProcesses(result.processes ?? {}) }
}

/** Sends a purge of images to every address: the first fault, else the latest generation. Never rejects. */
export async function purgeImages(
  { innerUrls, token }: { innerUrls: readonly URL[]; token: string },
  body: object,
): Promise<PurgeResult> {
  const results = await Promise.all(innerUrls.map((innerUrl) => send({ innerUrl, token }, body)))
  let generation = 0
  // Over Redis each address reports all replicas, without Redis only itself.
  let replicas = results.length
  for (const result of results) {
    if ('fault' in result) return result
    generation = Math.max(generation, result.generation)
    replicas = Math.max(replicas, result.replicas ?? 0)
  }
  return { generation, where: countOf(replicas, 'images replica') }
}

/** The form of every 200 of both inner ports. */
interface Purged {
  generation: number
  /** What the processes of a gateway did. */
  processes?: Record<string, { confirmed: number; failed: number }>
  /** The number of replicas, in the response of images. */
  replicas?: number
}

async function send({ innerUrl, token }: PurgeSender, body: object): Promise<Purged | { fault: string }> {
  const result = await postInner({ innerUrl, token }, '/internal/purge', body)
  if ('fault' in result) return { fault: `${innerUrl.host}: ${result.fault}` }
  if (result.status === 200 && result.json !== undefined) return result.json as Purged
  return { fault: `${innerUrl.host}: ${result.status} ${result.text}` }
}

const PROCESS_NAMES: Readonly<Record<string, string>> = { actions: 'actions replica' }

function listProcesses(processes: NonNullable<Purged['processes']>): string {
  const parts = Object.entries(processes).map(([service, { confirmed, failed }]) => {
    const count = countOf(confirmed + failed, PROCESS_NAMES[service] ?? service)
    return failed === 0 ? count : `${confirmed} of ${count}`
  })
  return parts.join(', ')
}

function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
