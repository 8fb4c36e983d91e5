// The bytes of scripts that a browser downloads before a page is interactive, and after: for the build's table and the
// budget test.

import type { RouteFiles } from '@portico/shared/wire/page-data.ts'

/** Bytes with gzip. */
interface FirstLoad {
  /** React, react-dom and its scheduler. */
  react: number
  /** The framework code that a page waits for: hydration, Link, Image, forms, hooks, screens. */
  framework: number
  /** _app of the app folder, with the code that it shares with pages. */
  app: number
  /** Loaded when the page is interactive and the browser idle, or at the first click: not part of a first load. */
  router: number
  /** Loaded when a form is used for the first time. */
  actions: number
  /** Part of the first load of a document with deferred data. */
  deferred: number
}

interface RouteLoad {
  pattern: string
  /** Scripts that are in no other part of the first load. */
  own: number
  /** React, framework, _app and the page: everything that the browser downloads before the page is interactive. */
  total: number
  styles: number
}

export interface BrowserBundle {
  browserEntry: RouteFiles
  /** Names of all files of the browser bundle. */
  files: Iterable<string>
  /** The size of a file with gzip, in bytes. */
  bytesOf: (name: string) => number
}

/** The sizes of the parts that all pages share. */
export function measureFirstLoad({ browserEntry, files, bytesOf }: BrowserBundle): FirstLoad {
  const sum = sumOf(bytesOf)
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
    deferred: sum(late('framework-deferred-')),
  }
}

/** The sizes of one page's own scripts and of its first load. */
export function measureRoute(pattern: string, page: RouteFiles, { browserEntry, bytesOf }: BrowserBundle): RouteLoad {
  const sum = sumOf(bytesOf)
  const shared = scriptsOf(browserEntry)
  const own = scriptsOf(page).filter((name) => !shared.includes(name))
  return {
    pattern,
    own: sum(own),
    total: sum([...shared, ...own]),
    styles: sum(new Set([...browserEntry.styles, ...page.styles])),
  }
}

function sumOf(bytesOf: (name: string) => number): (names: Iterable<string>) => number {
  return (names) => [...names].reduce((total, name) => total + bytesOf(name), 0)
}

function scriptsOf({ module, imports }: RouteFiles): string[] {
  return [...new Set([module, ...imports])]
}
