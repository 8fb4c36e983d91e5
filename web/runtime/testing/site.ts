// The implementation of `portico/testing`: the site under test in one process, with the code of renderer and actions
// service around the sources of the folder.

import { folder } from 'virtual:portico/test-folder'
import { readRendererConfig } from '@portico/renderer/config.ts'
import { openRenderer } from '@portico/renderer/open.ts'
import { readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { createRequestId } from '@portico/shared/kit/http/request-id.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { watchErrors } from '@portico/shared/kit/observe/watch-errors.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import { NEXT_DATA_ELEMENT_ID, PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { createDeferredReader } from '@portico/shared/wire/deferred/decode.ts'
import { DEFERRED_ATTRIBUTE, type DeferredLine } from '@portico/shared/wire/deferred/lines.ts'
import { hydrationOf, type NextData } from '@portico/shared/wire/next/next-data.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { bundle as actions } from '../server/actions-entry.ts'
import { bundle as server } from '../server/entry.tsx'
import { submitTo } from './action-calls.ts'
import { openActionsService } from './actions-service.ts'
import { runMiddleware } from './middleware-calls.ts'
import { bodyOf, cookiesAfter, headersOf } from './requests.ts'
import { startServers, type TestCall } from './site-servers.ts'
import type { TestRequest, TestSite } from './test-types.ts'

const KEY = 'the-key-of-tests-the-key-of-tests-the-key'
const { dir, manifest } = folder
const { publicEnv } = readSiteEnvironment(manifest, process.env)
const calls = new Map<string, TestCall>()
const log = watchErrors(createLog('tests', 'warn', { write: showLine }), (error, { requestId = '' }) =>
  calls.get(requestId)?.errors.push(error),
)
const servers = await startServers({
  dir,
  manifest,
  calls,
  log,
  actions: () => service,
  pages: (...exchange) => renderer.listeners[0]!.handler(...exchange),
})
const { origin } = servers
const environment = {
  APP_DIR: dir,
  DATA_DIR: process.env.DATA_DIR ?? dir,
  RENDERER_URL: origin,
  ACTIONS_URL: origin,
  SITE_URL: origin,
  ACTION_KEYS: KEY,
  STACK_TOKEN: KEY,
}
server.prepare(publicEnv.values)
// As under development each call renders again, and no gateway is asked about middleware.
const renderer = await openRenderer({ ...readRendererConfig(environment), isDevelopment: true }, log, {
  site: { dir, manifest, bundle: server, publicEnv },
})
const cookieSeals = createCookieSeals({ keyring: createFixedKeyring([KEY]), now: () => Date.now(), log })
const service = await openActionsService({ manifest, publicEnv: publicEnv.values, bundle: actions, environment, log })
service.listensAt(Number(new URL(origin).port))

/** Resolves when the functions of after() have run. */
async function settled(): Promise<void> {
  await Promise.all([renderer.after.idle(), service.after.idle()])
}

/** Errors reject the call of the test; other lines are shown. */
function showLine(text: string): void {
  const { level, error, msg, time: _time, service: _service, ...fields } = JSON.parse(text) as Record<string, unknown>
  if (error === undefined) console.warn(`portico ${String(level)}: ${String(msg)}`, fields)
}

/** Runs one call of a test to its end, functions of after() included. Rejects with the errors of the site's code. */
async function during<T>(request: TestRequest, run: (call: TestCall) => Promise<T>): Promise<T> {
  const call: TestCall = { id: createRequestId(), request, errors: [] }
  calls.set(call.id, call)
  try {
    const result = await run(call)
    await settled()
    const [error, ...more] = call.errors
    if (more.length > 0) throw new AggregateError(call.errors, 'the call failed more than once')
    if (error !== undefined) throw error
    return result
  } finally {
    calls.delete(call.id)
  }
}

function send(call: TestCall, path: string, init: RequestInit = {}): Promise<Response> {
  if (!path.startsWith('/')) throw new Error(`path="${path}" is not allowed; a path of the site begins with "/"`)
  const headers = headersOf(call)
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  return fetch(servers.site + manifest.basePath + path, { redirect: 'manual', ...init, headers })
}

export const site: TestSite = {
  callAction: (action, input, request) =>
    during(request, (call) =>
      submitTo(action, input, request, { call, service, settled, send: (path, init) => send(call, path, init) }),
    ),

  renderPage: (path, request) =>
    during(request, async (call) => {
      const response = await send(call, path)
      const html = await response.text()
      const { status, headers } = response
      const location = headers.get('location') ?? undefined
      return { status, html, headers, location, props: propsOf(html), ...cookiesAfter(request, headers) }
    }),

  requestApi: (path, request) =>
    during(request, async (call) => {
      const response = await send(call, path, bodyOf(request))
      // An event stream has no end.
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
      const { status, statusText, headers } = response
      const body = await response.arrayBuffer()
      return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
    }),

  callMiddleware: (path, request) =>
    during(request, (call) =>
      // The site does not change.
      runMiddleware(path, request, {
        manifest,
        pages: renderer.pages!,
        cookieSeals,
        call,
        send: (sent) => send(sent, '/'),
      }),
    ),
}

/** The data element of a document by Portico's own rules, and of one as Next.js writes it. */
const DATA_ELEMENTS = [
  `<script type="application/json" id="${PAGE_DATA_ELEMENT_ID}">`,
  `<script id="${NEXT_DATA_ELEMENT_ID}" type="application/json">`,
]

function propsOf(html: string): Record<string, unknown> {
  const element = DATA_ELEMENTS.find((each) => html.includes(each))
  if (element === undefined) return {}
  const start = html.indexOf(element) + element.length
  // The renderer wrote this element, and those of values that settled later.
  const data = JSON.parse(html.slice(start, html.indexOf('</script>', start))) as HydrationData | NextData
  const { props, deferred } = 'portico' in data ? hydrationOf(data) : data
  if (!deferred) return props
  const reader = createDeferredReader()
  // The decoded value of a record is a record.
  const opened = reader.read(props) as Record<string, unknown>
  const later = html.matchAll(new RegExp(`<script type="application/json" ${DEFERRED_ATTRIBUTE}>(.*?)</script>`, 'gs'))
  for (const line of [...deferred, ...later.map(([, text = '']) => JSON.parse(text) as DeferredLine)])
    reader.settle(line)
  reader.end()
  return opened
}
