// Calls of actions as the browser sends them (W3), and their results (W4).

import { parseActionResponse } from '@portico/shared/wire/action-wire.ts'
import type { ActionFunction } from '@portico/shared/wire/bundles.ts'
import { FORM_FIELDS, HEADERS, isProtocolField } from '@portico/shared/wire/constants.ts'
import type { ErrorBody } from '@portico/shared/wire/page-data.ts'
import type { ActionsService } from './actions-service.ts'
import { cookiesAfter } from './requests.ts'
import type { TestCall } from './site-servers.ts'
import type { ActionOutcome, TestActionRequest, TestedAction } from './test-types.ts'

interface SubmitDeps {
  call: TestCall
  send: (path: string, init: RequestInit) => Promise<Response>
  service: Pick<ActionsService, 'add' | 'respond'>
  /** Resolves when the functions of after() have run. */
  settled: () => Promise<void>
}

/** The action is the function that the test has, whichever module exports it. */
export async function submitTo(
  action: (...args: never[]) => unknown,
  input: unknown,
  request: TestActionRequest,
  { call, send, service, settled }: SubmitDeps,
): Promise<TestedAction<unknown>> {
  const paths = new Set<string>()
  const tags = new Set<string>()
  // The service calls the function with the arguments of the request.
  const id = await service.add(action as ActionFunction)
  call.respond = service.respond((change) => {
    for (const path of change.paths) paths.add(path)
    for (const tag of change.tags) tags.add(tag)
  })
  const response = await send(request.url ?? '/', submissionOf(id, input, request))
  const outcome = await outcomeOf(response, call)
  await settled()
  return {
    ...outcome,
    ...cookiesAfter(request, response.headers),
    revalidated: { paths: [...paths], tags: [...tags] },
  }
}

function submissionOf(id: string, input: unknown, request: TestActionRequest): RequestInit {
  const before = [...(request.bound ?? []), ...('previous' in request ? [request.previous] : [])]
  const headers = { [HEADERS.action]: id, 'portico-fresh': 'none' }
  if (!(input instanceof FormData)) {
    const args = input === undefined ? before : [...before, input]
    return {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ args }),
    }
  }
  const body = new FormData()
  body.append(FORM_FIELDS.args, JSON.stringify([...before, { $portico: 'form' }]))
  for (const [name, value] of input) if (!isProtocolField(name)) body.append(name, value)
  return { method: 'POST', headers, body }
}

async function outcomeOf(response: Response, { errors }: TestCall): Promise<ActionOutcome<unknown>> {
  const body: unknown = await response.json()
  const result = parseActionResponse(body)
  switch (result?.kind) {
    case 'value':
      return { kind: 'value', value: result.value }
    case 'invalid':
      return { kind: 'invalid', issues: result.issues }
    case 'redirect':
      return { kind: 'redirect', location: result.location }
    case 'not-found':
      return { kind: 'not-found' }
    case 'refused':
      return { kind: 'refused', status: response.status === 403 ? 403 : 401 }
    default: {
      if (errors.length === 1) throw errors.pop()
      const { error } = body as Partial<ErrorBody>
      throw new Error(`the call was refused with status ${response.status}: ${error?.message ?? error?.title}`)
    }
  }
}
