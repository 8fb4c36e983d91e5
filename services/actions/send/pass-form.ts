// A form that calls no action, for a page that takes forms (compatibility mode, X7): the renderer renders the page with
// the body as it arrived.

import { sendError } from '@portico/shared/kit/http/error-response.ts'
import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { clientFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { appHeaders, type Exchange } from '../request/request-facts.ts'
import type { RendererClient } from './renderer-client.ts'

/** The page of the request, if the page takes forms. */
export function findFormPage({ request, site, facts }: Exchange): PageEntry | undefined {
  const { pathname, search } = facts
  const path = stripBasePath(pathname, site.basePath)
  if (!site.resolvePage || path === undefined) return undefined
  const found = site.resolvePage(path, search, clientFacts({ ...facts, headers: request.headers }))
  return found.kind === 'page' && found.entry.methods ? found.entry : undefined
}

/** Headers that this service writes itself. */
const NOT_RELAYED: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

/** Sends the renderer's response as it is. The form is sent to one replica once, because page code may change data. */
export async function passForm(
  body: Buffer,
  page: PageEntry,
  { request, response, facts, context, site }: Exchange,
  renderer: RendererClient,
): Promise<void> {
  response.setHeader(INTERNAL_HEADERS.route, page.pattern)
  const passed = await renderer.postedPage(
    {
      url: facts.url,
      as: 'html',
      posted: body.toString('base64'),
      headers: appHeaders(request),
      ...(request.headers.cookie !== undefined && { cookies: request.headers.cookie }),
    },
    context.requestId,
  )
  if (response.destroyed) return
  if (!passed) return sendError(response, 'document', { code: 'upstream-refused', screenPolicy: site.screenPolicy })
  response.statusCode = passed.status
  for (const [name, value] of Object.entries(passed.headers))
    if (value !== undefined && !NOT_RELAYED.has(name)) response.setHeader(name, value)
  response.setHeader('content-length', passed.body.length)
  response.end(passed.body)
}
