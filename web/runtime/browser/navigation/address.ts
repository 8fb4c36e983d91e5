// Addresses and history entries as the browser knows them, for the router and for late-router.ts before it.

import { isApiPath, stripBasePath } from '@portico/shared/wire/routing/urls.ts'

/** Path, query and hash. */
export function addressOf({ pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>): string {
  return pathname + search + hash
}

/** What a document is loaded for: path and query. */
export function pageOf({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  return pathname + search
}

/**
 * Whether a client transition may lead to the address (N4). SECURITY: never to a path that begins with two slashes: the
 * path is of this site (`/.//host`), but names another host when it is resolved again without its origin.
 */
export function canFollow({ origin, pathname }: URL, basePath: string): boolean {
  const path = stripBasePath(pathname, basePath)
  return origin === location.origin && path !== undefined && !isApiPath(path) && !pathname.startsWith('//')
}

/** The key that this framework gave the current history entry. */
export function historyKey(): string | undefined {
  return (history.state as { portico?: string } | null)?.portico
}

export function createKey(): string {
  return Math.random().toString(36).slice(2)
}
