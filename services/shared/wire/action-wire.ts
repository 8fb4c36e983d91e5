// Action requests and answers as they cross the network (W3, W4).

import { type PageData, parsePageData } from './page-data.ts'

export interface ActionIssue {
  /** Field path joined with dots, as in `a.b.0`; empty for the whole input. */
  path: string
  message: string
}

export type ActionAnswer =
  /** `value` is absent for undefined; `omitted` says that a repeat's value was too large to be kept (A5). */
  | { kind: 'value'; value?: unknown; omitted?: true; page?: PageData; revalidated: boolean }
  | { kind: 'redirect'; location: string; status: 303 }
  /** A repeat: it ran with this status, and its response is not kept any more (A5). */
  | { kind: 'done'; status: number; location?: string }
  | { kind: 'not-found' }
  | { kind: 'unknown-action' }
  | { kind: 'invalid'; issues: ActionIssue[] }
  | { kind: 'unknown' }

/** Reads an action's answer; undefined when it is not one. */
export function parseActionAnswer(value: unknown): ActionAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const answer = value as Partial<Record<string, unknown>>
  switch (answer.kind) {
    case 'value': {
      const page = parsePageData(answer.page)
      if (typeof answer.revalidated !== 'boolean' || (answer.page !== undefined && !page)) return undefined
      return {
        kind: 'value',
        revalidated: answer.revalidated,
        ...('value' in answer && { value: answer.value }),
        ...(answer.omitted === true && { omitted: true }),
        ...(page && { page }),
      }
    }
    case 'redirect':
      if (typeof answer.location !== 'string' || answer.status !== 303) return undefined
      return { kind: 'redirect', location: answer.location, status: 303 }
    case 'done':
      if (typeof answer.status !== 'number') return undefined
      return {
        kind: 'done',
        status: answer.status,
        ...(typeof answer.location === 'string' && { location: answer.location }),
      }
    case 'invalid':
      return isIssues(answer.issues) ? { kind: 'invalid', issues: answer.issues } : undefined
    case 'not-found':
    case 'unknown-action':
    case 'unknown':
      return { kind: answer.kind }
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
  /** Path and query as the visitor sees them, basePath included. */
  url: string
  as: 'html' | 'data'
  /** Status of the document; 200 unless the action's outcome says otherwise. */
  status?: number
  /** React's form state: [value, key path, action id, number of bound arguments]. */
  formState?: [unknown, string, string, number]
  /** The visitor's cookies with the action's own changes merged in, as a Cookie header. */
  cookies?: string
  /** Invalidation generation that the answer must not be older than (D6). */
  generation?: number
  /** Request headers that data functions may read, names in lower case. */
  headers?: Record<string, string>
}

/** Body of `POST /internal/revalidate` on the renderer's inner port (D6). */
export interface RevalidateRequest {
  paths: string[]
  tags: string[]
  /** The stack's own generation, counted in the state Redis; a renderer's generation becomes at least this. */
  generation?: number
}

/** Answer to a RevalidateRequest: the generation from which on renders see the change. */
export interface RevalidateAnswer {
  generation: number
}
