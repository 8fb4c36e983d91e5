// Elements of a document without a parser of HTML: start tags with quoted attributes, as React writes them.

import { unescapeHtml } from '../../../e2e/harness/http.ts'

export type Attributes = Readonly<Record<string, string>>

/** Attributes of each element of a name, in the order of the document; without those for the framework (`data-…`). */
export function elementsOf(html: string, name: string): Attributes[] {
  return [...html.matchAll(new RegExp(`<${name}((?:\\s[^<>]*?)?)/?>`, 'g'))].map(([, attributes = '']) =>
    Object.fromEntries(
      [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)]
        .map(([, key = '', value = '']) => [key.toLowerCase(), unescapeHtml(value)] as const)
        .filter(([key]) => !key.startsWith('data-')),
    ),
  )
}
