// Calls of actions over a fetch that records the requests.

import type { ActionResponse } from '@portico/shared/wire/action-wire.ts'
import { afterEach, beforeEach, vi } from 'vitest'
import type { ActionDeps } from '../actions/submit-action.ts'

export interface Sent {
  url: string
  headers: Record<string, string>
  body: string | FormData
  respond: (body: ActionResponse | { error: object } | string, status?: number) => void
  fail: () => void
}

/** Registers the fetch; the lists are empty before each test. */
export function recordActionCalls() {
  const sent: Sent[] = []
  const done: string[] = []
  const refused: string[] = []
  const deps: ActionDeps = {
    buildId: 'build-1',
    url: '/shop/places/1?a=1',
    mayRepeat: false,
    applyData: async (data) => void done.push(data.kind === 'refused' ? `refused ${data.status}` : `data ${data.kind}`),
    refresh: async () => void done.push('refresh'),
    follow: (location) => void done.push(`follow ${location}`),
    onResponse: () => void done.push('responded'),
    onRefused: (message) => void refused.push(message),
  }

  beforeEach(() => {
    for (const list of [sent, done, refused]) list.length = 0
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    vi.stubGlobal('location', { pathname: '/shop/elsewhere', search: '', hash: '' })
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      return new Promise<Response>((resolve, reject) => {
        sent.push({
          url,
          headers: init.headers as Record<string, string>,
          body: init.body as string | FormData,
          respond: (body, status = 200) =>
            resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })),
          fail: () => reject(new TypeError('network')),
        })
      })
    })
  })

  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  return { sent, done, refused, deps }
}

export function formOf(fields: [string, string | File][]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

export const value = (given: unknown): ActionResponse => ({ kind: 'value', value: given, revalidated: false })
