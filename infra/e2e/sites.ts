// The two sites that the end-to-end suite runs on, as far as it must know them. Everything else it reads from pages.

import { join } from 'node:path'
import { root } from '../checks/sources.ts'

export interface SiteDescription {
  name: string
  /** Folder in the repository. */
  appDir: string
  home: { path: string; text: string }
  /** A page of a dynamic route that the home page links to. */
  detail: { path: string; route: string; text: string }
  /** A page with one form whose action stores what was typed and whose page then shows it. */
  form: {
    path: string
    /** Values of the visible fields; `unique` stands in one of them and appears on the page afterwards. */
    fields: (unique: string) => Record<string, string>
    /** Fields that the action refuses with a message on the page, where the site validates. */
    refused?: { fields: Record<string, string>; text: string }
  }
  api: { path: string; member: string }
  /** A page that takes a moment of scrolling, and what its title holds. */
  title: string
}

export const ATLAS: SiteDescription = {
  name: 'atlas',
  appDir: join(root, 'web/app'),
  home: { path: '/', text: 'Skarnvik' },
  detail: { path: '/places/skarnvik', route: '/places/[slug]', text: 'Postcards from' },
  form: {
    path: '/places/skarnvik',
    fields: (unique) => ({ name: 'Ida', message: `The light here is ${unique}` }),
    refused: { fields: { name: '', message: 'No name' }, text: 'Please sign your postcard.' },
  },
  api: { path: '/api/places', member: 'places' },
  title: 'Atlas',
}

export const FIXTURE: SiteDescription = {
  name: 'fixture',
  appDir: join(root, 'infra/e2e/site'),
  home: { path: '/', text: 'Fixture' },
  detail: { path: '/items/one', route: '/items/[id]', text: 'Item one' },
  form: { path: '/form', fields: (unique) => ({ note: unique }) },
  api: { path: '/api/notes', member: 'notes' },
  title: 'Fixture',
}
