// The sites that the end-to-end suite runs on, with the facts that the suite must know. It reads everything else from
// pages.

import { join } from 'node:path'
import { root } from '../../checks/sources.ts'

/** A page with a form whose action stores what was typed and whose page then shows it. */
interface FormDescription {
  path: string
  /** Values of the visible fields; `unique` (at most 16 letters) is in one of them and on the page afterwards. */
  fields: (unique: string) => Record<string, string>
  /** The response to a post without JavaScript: the page with its form state, or a redirect to the page. */
  status: 200 | 303
  /** Fields that the action refuses with a message on the page, where the site validates. */
  refused?: { fields: Record<string, string>; text: string }
}

export interface SiteDescription {
  name: string
  /** Folder in the repository. */
  appDir: string
  home: { path: string; text: string }
  /** A page of a dynamic route that the home page links to. */
  detail: { path: string; route: string; text: string }
  forms: FormDescription[]
  api: { path: string; member: string }
  /** A text in the title of the home page. */
  title: string
}

export const ATLAS: SiteDescription = {
  name: 'atlas',
  appDir: join(root, 'web/app'),
  home: { path: '/', text: 'Skarnvik' },
  detail: { path: '/places/skarnvik', route: '/places/[slug]', text: 'Postcards from' },
  forms: [
    {
      path: '/places/skarnvik',
      fields: (unique) => ({ name: 'Ida', message: `The light here is ${unique}` }),
      status: 303,
      refused: { fields: { name: '', message: 'No name' }, text: 'Please sign your postcard.' },
    },
  ],
  api: { path: '/api/places', member: 'places' },
  title: 'Atlas',
}

export const FIXTURE: SiteDescription = {
  name: 'fixture',
  appDir: join(root, 'infra/e2e/sites/fixture'),
  home: { path: '/', text: 'Fixture' },
  detail: { path: '/items/six', route: '/items/[id]', text: 'Item six' },
  forms: [
    {
      path: '/things/1',
      fields: (unique) => ({ text: unique }),
      status: 200,
      refused: { fields: { text: ' ' }, text: 'Write something.' },
    },
    { path: '/form', fields: (unique) => ({ note: unique }), status: 303 },
  ],
  api: { path: '/api/notes', member: 'notes' },
  title: 'Fixture',
}

/** The template of new sites. */
export const STARTER: SiteDescription = {
  name: 'starter',
  appDir: join(root, 'web/build/create/starter'),
  home: { path: '/', text: 'all of it is yours' },
  detail: { path: '/notes/pictures', route: '/notes/[slug]', text: 'No visitor receives it' },
  forms: [
    {
      path: '/guestbook',
      fields: (unique) => ({ name: 'Ida', message: `The light here is ${unique}` }),
      status: 200,
      refused: { fields: { name: '', message: 'No name' }, text: 'Please write your name.' },
    },
  ],
  api: { path: '/api/guestbook', member: 'entries' },
  title: 'Fieldbook',
}
