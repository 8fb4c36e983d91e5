// The HTTP servers of the site under test. `site` has the site itself; `origin` is what its server-side fetch reaches: the
// responses of the test first, then the site's own handlers and files.

import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { errorContentOf, sendError } from '@portico/shared/kit/http/error-response.ts'
import { readWhole } from '@portico/shared/kit/http/read-body.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { publicKey } from '@portico/shared/wire/routing/public-key.ts'
import { isApiPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { ActionsService } from './actions-service.ts'
import type { FakeResponse, FakeSite, TestRequest } from './test-types.ts'

/** One call of a test, known by its request id. */
export interface TestCall {
  id: string
  request: TestRequest
  /** What the site's code threw. */
  errors: unknown[]
  /** Responds to the call itself, instead of the pages. */
  respond?: RequestListener
}

/** Origins such as `http://127.0.0.1:40123`. */
interface SiteServers {
  site: string
  origin: string
}

interface SiteServersDeps {
  dir: string
  manifest: Manifest
  calls: ReadonlyMap<string, TestCall>
  log: Log
  actions: () => Pick<ActionsService, 'respondToApi'>
  pages: RequestListener
}

type Respond = (request: IncomingMessage, response: ServerResponse, pathname: string) => unknown

/** Starts both servers. They do not keep the process alive. */
export async function startServers(deps: SiteServersDeps): Promise<SiteServers> {
  const { manifest, calls, actions, pages } = deps
  const respondItself: Respond = async (request, response, pathname) => {
    const own = isApiPath(pathname) ? await actions().respondToApi(pathname) : callOf(request, calls)?.respond
    return (own ?? pages)(request, response)
  }
  const respondToFetch: Respond = async (request, response, pathname) => {
    const fake = ownMember(callOf(request, calls)?.request.site, pathname)
    if (fake !== undefined) return sendFake(fake, request, response)
    if (isApiPath(pathname)) return (await actions().respondToApi(pathname))(request, response)
    return sendPublicFile(deps, pathname, response)
  }
  const listenerOf =
    (respond: Respond): RequestListener =>
    (request, response) => {
      const pathname = stripBasePath(splitTarget(request.url ?? '/').pathname, manifest.basePath) ?? '/'
      Promise.resolve(respond(request, response, pathname)).catch((error: unknown) =>
        sendError(response, 'data', errorContentOf(error, deps.log, request)),
      )
    }
  return { site: await listen(listenerOf(respondItself)), origin: await listen(listenerOf(respondToFetch)) }
}

function callOf(request: IncomingMessage, calls: SiteServersDeps['calls']): TestCall | undefined {
  return calls.get(String(request.headers[HEADERS.requestId]))
}

function ownMember(site: FakeSite = {}, path: string): FakeSite[string] | undefined {
  return Object.hasOwn(site, path) ? site[path] : undefined
}

async function sendFake(fake: FakeSite[string], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const result = typeof fake === 'function' ? await fake(await toRequest(request)) : fake
  const { status, headers, body } = toResponse(result)
  response.writeHead(status, Object.fromEntries(headers))
  response.end(body && Buffer.from(await new Response(body).arrayBuffer()))
}

/** A given Response may be sent more than once. */
function toResponse(result: FakeResponse): Response {
  return result instanceof Response ? result.clone() : Response.json(result)
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/' } = request
  const body = await readWhole(request, { limitBytes: () => Number.POSITIVE_INFINITY })
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: headers.filter(([name]) => name !== 'connection' && name !== 'transfer-encoding'),
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
}

async function sendPublicFile({ dir, manifest }: SiteServersDeps, path: string, response: ServerResponse) {
  const name = publicKey(path)
  if (!Object.hasOwn(manifest.publicFiles, name)) return sendError(response, 'data', { code: 'not-found' })
  response.setHeader('content-type', manifest.publicFiles[name]!.type)
  response.end(await readFile(join(dir, 'public', name)))
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  server.unref()
  // A TCP server that listens has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
