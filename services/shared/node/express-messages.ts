// Requests and responses with express's prototypes from the start. Express replaces the prototype of each request and
// response, and V8 reads and writes an object slowly for the rest of its life after such a change.

import { IncomingMessage, ServerResponse } from 'node:http'
import type { MessageClasses } from './serve.ts'

/** The prototypes that an express app gives to requests and responses. */
export interface MessagePrototypes {
  request: object
  response: object
}

/** Classes for the server of this app, whose objects already have the prototypes that express would set. */
export function expressMessages(app: MessagePrototypes): MessageClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  // Express compares with these prototypes. They inherit from express's own ones, so that all methods remain.
  app.request = ExpressRequest.prototype
  app.response = ExpressResponse.prototype
  // Types of node:http tie the response's class to the plain request's.
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse } as MessageClasses
}
