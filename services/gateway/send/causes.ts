// Why each header of a response is there, for requests that `portico why` explains.

import type { IncomingMessage } from 'node:http'

/** The cause of each header by its name in lower case: a rule by its name, `middleware` or `default`; else the response itself. */
export type HeaderCauses = Map<string, string>

const CAUSES = Symbol('causes')
type Carrier = IncomingMessage & { [CAUSES]?: HeaderCauses }

/** From now on the head writer notes the causes of the response to this request. */
export function noteCauses(request: Carrier): HeaderCauses {
  const causes: HeaderCauses = new Map()
  request[CAUSES] = causes
  return causes
}

/** Undefined for the requests of clients. */
export function causesOf(request: Carrier): HeaderCauses | undefined {
  return request[CAUSES]
}
