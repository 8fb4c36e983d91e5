// Runs the steps of a service, a router of express, as the handler of a server.

import type { RequestListener } from 'node:http'
import type { Request, Response, Router } from 'express'
import type { Log } from './log.ts'

/**
 * A router without an application: an application gives each request and response express's prototypes, whose methods
 * the steps do not use, and V8 reads an object slowly after its prototype was replaced (a tenth of a proxied request).
 * `steps` responds to every request and to every error.
 */
export function runSteps(steps: Router, log: Log): RequestListener {
  return (request, response) =>
    // express types a router's parameters for applications; the router itself needs those of node:http.
    steps(request as Request, response as Response, (error: unknown) => {
      log.error({ error }, 'request without a response')
      response.destroy()
    })
}
