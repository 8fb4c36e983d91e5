// What the `Head` components of a page contribute, and which of it the document gets: of elements with the same key,
// name or property the last one (X3).

import {
  Children,
  cloneElement,
  createContext,
  createElement,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
} from 'react'

export type HeadElement = ReactElement<Record<string, unknown>, string>

/** The head of one document. */
export interface HeadState {
  /** The children of a `Head`, by an id that the component keeps. */
  set(id: string, children: ReactNode): void
  remove(id: string): void
  /** A script that runs before those of the page. Server only. */
  addScript(id: string, script: HeadElement): void
  /** Styles of styled-jsx, from the first one on. Server only. */
  styles?: StyleRegistryState
}

/** A registry of styled-jsx. */
export interface StyleRegistryState {
  add(props: object): void
  remove(props: object): void
  styles(options?: { nonce?: string }): ReactElement[]
  flush(): void
}

/** Begin of the ids of styles that followed the shell of a document. The browser side adds them again, and removes these. */
export const LATE_STYLE = '__late-'

/** null outside of a page: in `_document`. */
export const HeadContext = createContext<HeadState | null>(null)

/** Marks the elements that the browser side replaces. */
export const HEAD_ATTRIBUTE = 'data-next-head'

// The cast: elements with a name for their type.
const defaults = () =>
  [
    createElement('meta', { charSet: 'utf-8' }),
    createElement('meta', { name: 'viewport', content: 'width=device-width' }),
  ] as HeadElement[]

/** The elements of the document, in order, for the children of its heads. */
export function headElements(heads: Iterable<ReactNode>): HeadElement[] {
  const lists = [defaults(), ...[...heads].map(flatten)]
  const all = lists.flatMap((list, head) => list.map((element) => ({ element, head })))
  /** The head that has the identity, by identity. */
  const taken = new Map<string, number>()
  const kept: HeadElement[] = []
  for (const { element, head } of all.reverse()) {
    const identities = identitiesOf(element)
    const isTaken = identities.some(({ name, isPerHead, isClaim }) => {
      const owner = taken.get(name)
      return !isClaim && owner !== undefined && !(isPerHead && owner === head)
    })
    if (isTaken) continue
    for (const { name } of identities) taken.set(name, head)
    kept.push(withOneText(element))
  }
  return kept.reverse()
}

/** Elements, those of fragments and lists too. */
function flatten(children: ReactNode): HeadElement[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement<{ children?: ReactNode }>(child)) return []
    if (child.type === Fragment) return flatten(child.props.children)
    // A component is no element of a head: Next.js renders none there either.
    return typeof child.type === 'string' ? (child as HeadElement) : []
  })
}

interface Identity {
  name: string
  /** One head may have several elements of it: `og:image`. */
  isPerHead?: boolean
  /** The element replaces earlier ones of it, and no later one replaces the element: a name next to a key. */
  isClaim?: boolean
}

function identitiesOf({ type, key, props }: HeadElement): Identity[] {
  // React writes a key that the author gave behind the first `$`, and an index without one.
  const given = key?.includes('$') ? [{ name: `key ${key.slice(key.indexOf('$') + 1)}` }] : []
  if (type === 'title' || type === 'base') return [...given, { name: type }]
  if (type !== 'meta') return given
  if (props.charSet !== undefined) return [...given, { name: 'charset' }]
  const { name, httpEquiv, itemProp, property } = props
  // With its own key, an element stays next to a later one of its name.
  if (name !== undefined) return [...given, { name: `name ${name}`, isClaim: given.length > 0 }]
  if (httpEquiv !== undefined) return [...given, { name: `http-equiv ${httpEquiv}` }]
  if (itemProp !== undefined) return [...given, { name: `itemprop ${itemProp}` }]
  if (property !== undefined && given.length === 0) return [{ name: `property ${property}`, isPerHead: true }]
  return given
}

/** React renders the text of a title from one string: `<title>a {b}</title>` has two. */
function withOneText(element: HeadElement): HeadElement {
  const { children } = element.props
  // The cast: the type of the element stays.
  return Array.isArray(children) ? (cloneElement(element, {}, textOf(children)) as HeadElement) : element
}

export function textOf(children: unknown): string {
  if (Array.isArray(children)) return children.map(textOf).join('')
  return typeof children === 'string' || typeof children === 'number' ? String(children) : ''
}
