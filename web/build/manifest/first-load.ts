// What a browser downloads of scripts before a page is live, and what after: the figures of the build's table and of
// the budget.

import type { RouteFiles } from '../../../services/shared/wire/page-data.ts'

/** Bytes as they are sent, by gzip. */
export interface FirstLoad {
  /** React, react-dom and its scheduler. */
  react: number
  /** All of the framework that a page waits for: hydration, Link, Image, forms, hooks, screens. */
  framework: number
  /** The app folder's own _app, with what it shares with pages. */
  app: number
  /** Loaded when the page is live and the browser idle, or at the first click: counted in no first load. */
  router: number
  /** Loaded when a form is first used. */
  actions: number
}

export interface RouteLoad {
  pattern: string
  /** Scripts that no other part of the first load has. */
  own: number
  /** React, framework, _app and the page: all that is downloaded before the page is live. */
  total: number
  styles: number
}

export interface Measured {
  browserEntry: RouteFiles
  /** Names of all files of the browser's bundle. */
  files: Iterable<string>
  /** Bytes that a file travels in. */
  bytesOf: (name: string) => number
}

/** The parts that all pages share. */
export function measureFirstLoad({ browserEntry, files, bytesOf }: Measured): FirstLoad {
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + bytesOf(name), 0)
  const shared = scriptsOf(browserEntry)
  const react = shared.filter((name) => name.startsWith('react-'))
  const framework = shared.filter((name) => name.startsWith('framework-'))
  const rest = shared.filter((name) => !react.includes(name) && !framework.includes(name))
  const late = (start: string) => [...files].filter((name) => name.startsWith(start) && name.endsWith('.js'))
  return {
    react: sum(react),
    framework: sum(framework),
    app: sum(rest),
    router: sum(late('framework-router-')),
    actions: sum(late('framework-actions-')),
  }
}

/** One page's own part and the whole of its first load. */
export function measureRoute(pattern: string, page: RouteFiles, { browserEntry, bytesOf }: Measured): RouteLoad {
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + bytesOf(name), 0)
  const shared = scriptsOf(browserEntry)
  const own = scriptsOf(page).filter((name) => !shared.includes(name))
  return {
    pattern,
    own: sum(own),
    total: sum([...shared, ...own]),
    styles: sum(new Set([...browserEntry.styles, ...page.styles])),
  }
}

function scriptsOf({ module, imports }: RouteFiles): string[] {
  return [...new Set([module, ...imports])]
}
