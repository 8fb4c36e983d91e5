// Requests and answers that are express's own from the start. Express gives each request and answer another prototype
// when they reach it, and an object whose prototype changed is slow to read and write for the rest of its life.

import { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { MessageClasses } from '../shared/node/serve.ts'

/** Classes for the server of this app: what express would set on each of their objects is there already. */
export function expressMessages(app: Express): MessageClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  // The prototypes that express compares with. They inherit from its own ones, so nothing of them is lost.
  app.request = ExpressRequest.prototype as Express['request']
  app.response = ExpressResponse.prototype as unknown as Express['response']
  // Types of node:http tie the answer's class to the plain request's.
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse } as MessageClasses
}
