// Requests and answers that are express's own from the start. Express gives each request and answer another prototype
// when they reach it, and an object whose prototype changed is slow to read and write for the rest of its life.

import { IncomingMessage, ServerResponse } from 'node:http'
import type { MessageClasses } from './serve.ts'

/** The prototypes that an app of express gives to requests and answers. */
export interface MessagePrototypes {
  request: object
  response: object
}

/** Classes for the server of this app: what express would set on each of their objects is there already. */
export function expressMessages(app: MessagePrototypes): MessageClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  // What express compares with. They inherit from its own ones, so nothing of them is lost.
  app.request = ExpressRequest.prototype
  app.response = ExpressResponse.prototype
  // Types of node:http tie the answer's class to the plain request's.
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse } as MessageClasses
}
