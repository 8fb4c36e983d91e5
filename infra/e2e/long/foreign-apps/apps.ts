// The list of the apps that others wrote: where each one comes from, and what is known to differ between Next.js and Portico.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface KnownDifference {
  /** As the table names it; `*` at its end is for any rest. */
  where: string
  what: string
  reason: string
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
  /** Why Portico's build refuses the app. */
  refused?: string
  differences?: KnownDifference[]
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
  return JSON.parse(readFileSync(join(import.meta.dirname, '../foreign-apps.json'), 'utf8')) as AppList
}

/** The clone or mirror of the app's repository in the folder FOREIGN_APPS; undefined for an app of the registry. */
export function cloneOf({ repository }: ForeignApp): string | undefined {
  return repository && join(process.env.FOREIGN_APPS ?? '', repository)
}
