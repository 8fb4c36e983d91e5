// One question of a command to an inner port.

import { plainHost } from '@portico/shared/kit/addresses/plain-host.ts'
import { portOf } from '@portico/shared/kit/addresses/service-addresses.ts'
import { createInnerClient } from '@portico/shared/kit/inner/inner-client.ts'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'

const TIMEOUT_MS = 10_000
const RESPONSE_LIMIT_BYTES = 1024 * 1024

/** `json`: undefined for the response of another program. `text`: the sentence of an error response (E2), else the whole body. */
type InnerReply = { status: number; json: unknown; text: string } | { fault: string }

/** Posts `body` as JSON, through a connection that is closed after the response. Never rejects. */
export async function postInner(
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
