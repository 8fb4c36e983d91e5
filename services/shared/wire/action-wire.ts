// Action requests and responses as they cross the network (W3, W4).

import { type PageData, parsePageData } from './page-data.ts'

export interface ActionIssue {
  /** Field path joined with dots, as in `a.b.0`; empty for the whole input. */
  path: string
  message: string
}

export type ActionResponse =
  /** `value` is absent for undefined; `omitted` marks a repeat whose value was too large to be kept (A5). */
  | { kind: 'value'; value?: unknown; omitted?: true; page?: PageData; revalidated: boolean }
  | { kind: 'redirect'; location: string; status: 303 }
  /** A repeat: the first run ended with this status, and its response is no longer kept (A5). */
  | { kind: 'done'; status: number; location?: string }
  | { kind: 'not-found' }
  /** The action called unauthorized() or forbidden(); the status of the response is 401 or 403. */
  | { kind: 'refused' }
  | { kind: 'unknown-action' }
  | { kind: 'invalid'; issues: ActionIssue[] }
  | { kind: 'unknown' }

/** Parses an action's response; undefined for a value of another shape. */
export function parseActionResponse(value: unknown): ActionResponse | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const response = value as Partial<Record<string, unknown>>
  switch (response.kind) {
    case 'value': {
      const page = parsePageData(response.page)
      if (typeof response.revalidated !== 'boolean' || (response.page !== undefined && !page)) return undefined
      return {
        kind: 'value',
        revalidated: response.revalidated,
        ...('value' in response && { value: response.value }),
        ...(response.omitted === true && { omitted: true }),
        ...(page && { page }),
      }
    }
    case 'redirect':
      if (typeof response.location !== 'string' || response.status !== 303) return undefined
      return { kind: 'redirect', location: response.location, status: 303 }
    case 'done':
      if (typeof response.status !== 'number') return undefined
      return {
        kind: 'done',
        status: response.status,
        ...(typeof response.location === 'string' && { location: response.location }),
      }
    case 'invalid':
      return isIssues(response.issues) ? { kind: 'invalid', issues: response.issues } : undefined
    case 'not-found':
    case 'refused':
    case 'unknown-action':
    case 'unknown':
      return { kind: response.kind }
    default:
      return undefined
  }
}

function isIssues(value: unknown): value is ActionIssue[] {
  const isIssue = (item: unknown) => {
    const { path, message } = (item ?? {}) as Partial<Record<string, unknown>>
    return typeof path === 'string' && typeof message === 'string'
  }
  return Array.isArray(value) && value.every(isIssue)
}

/** Body of `POST /internal/render` on the renderer's inner port (W6). */
export interface InnerRenderRequest {
  /** Path and query in the client's address bar, basePath included. */
  url: string
  as: 'html' | 'data'
  /** Status of the document; default 200. */
  status?: number
  /** React's form state: [value, key path, action id, number of bound arguments]. */
  formState?: [unknown, string, string, number]
  /** The client's cookies with the action's changes merged in, as a Cookie header. */
  cookies?: string
  /** The response contains every change up to this position of the invalidation feed (D6); no epoch: any. */
  epoch?: string | undefined
  generation?: number
  /** Request headers that data functions may read, names in lower case. */
  headers?: Record<string, string>
  /** The body of a POST that calls no action, in base64, at most DEFAULT_BODY_LIMIT_BYTES: the page reads it (X7). */
  posted?: string
}
