// The list of the apps that others wrote: where each one comes from, and what is known to differ between Next.js and Portico.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface KnownDifference {
  /** As the table names it; `*` at its end is for any rest. */
  where: string
  what: string
  reason: string
  /** Not in each run: the page shows a time or a count. */
  varies?: boolean
}

/** One action of a user; `shows` is a text that both sites must show after it. */
export interface Step {
  /** Loads a document. */
  open?: string
  /** Clicks the first button or link with this name. */
  click?: string
  /** Types a text into a field, named by a selector. */
  fill?: string
  text?: string
  /** Presses a key in the field that has the focus. */
  press?: string
  /** Sends a request from the page, with its cookies: `GET /path`; `body` is sent as JSON. */
  send?: string
  body?: unknown
  shows?: string
}

export interface ForeignApp {
  name: string
  /** A program of the package registry that writes the app, with its version and arguments. */
  package?: string
  arguments?: string
  /** Or a public repository, a commit and a folder in it. */
  repository?: string
  commit?: string
  folder?: string
  /** Or a site of ours, where no published app can be built: a folder of this repository. */
  site?: string
  /** Commands that run in the folder of each copy before its build. */
  before?: string[]
  /**
   * The environment of both frameworks. `{origin}` is the address of the site, `{port}` its port, `{provider}` the address
   * of a local OpenID provider, which runs for apps that name it.
   */
  environment?: Record<string, string>
  /** What a user does on a new page of its own browser context, one thing after the other. */
  steps?: Step[]
  /** Packages whose install scripts run: they bring a program. */
  scripts?: string[]
  /** A text that the upgrade to Next.js 16 removes from a file; the copy for Portico keeps it. */
  upgrade?: { file: string; removes: string }
  /** Why Portico's build refuses the app. */
  refused?: string
  differences?: KnownDifference[]
  /** How many links are clicked, where the pages share most of them; 40 without it. */
  links?: number
  /** Its first load is measured. */
  measured?: boolean
}

export interface AppList {
  apps: ForeignApp[]
  /** What differs in every app. */
  everywhere: KnownDifference[]
}

export function readApps(): AppList {
  // The file is of this repository and has this form.
  return JSON.parse(readFileSync(join(import.meta.dirname, 'apps.json'), 'utf8')) as AppList
}

/** The clone or mirror of the app's repository in the folder FOREIGN_APPS; undefined for an app of the registry. */
export function cloneOf({ repository }: ForeignApp): string | undefined {
  return repository && join(process.env.FOREIGN_APPS ?? '', repository)
}
