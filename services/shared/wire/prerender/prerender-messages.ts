// Pages that the build renders (X9): the folder in dist/, and the messages of the process that renders them.

import type { RouteParams } from '../route-params.ts'

/** Folder below dist/, no part of the build id. */
export const PRERENDERED_FOLDER = 'prerendered'

/** From the process that renders to the build. */
export type PrerenderMessage =
  /** Sent at the start and for each page, so that the build notices a process that hangs. */
  | { kind: 'progress'; done: number; total: number }
  /** The page is left to the first request. `thrown`: it has thrown an error. */
  | { kind: 'left'; path: string; reason: string; thrown?: ThrownByPage }
  /** `hash`: of what all pages contain. `listed`: the keys of the paths of pages with `fallback: false`, by pattern. */
  | { kind: 'end'; rendered: number; hash: string; listed: Record<string, string[]> }
  /** No page can be rendered. */
  | { kind: 'failed'; reason: string }

/** An error that a page throws while it is rendered. */
export interface ThrownByPage {
  /** The file of the page, app-relative. */
  file: string
  /** The parameters of the path; empty for a page without parameters, and for getStaticPaths. */
  params: RouteParams
  /** Empty for a thrown value without one. */
  stack: string
}

/** Whether a message of the process is one of Portico: code of the site may send messages, too. */
export function isPrerenderMessage(value: unknown): value is PrerenderMessage {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  return KINDS.some((known) => known === kind)
}

const KINDS = ['progress', 'left', 'end', 'failed'] as const satisfies readonly PrerenderMessage['kind'][]
