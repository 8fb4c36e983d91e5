// `next/head`: elements of the document's head, written anywhere in a page (X3).

import { type ReactElement, type ReactNode, useContext, useId, useLayoutEffect } from 'react'
import { HeadContext } from './head-state.ts'

/** Adds its children to the head of the document. The last element with a key, name or property replaces the others. */
export default function Head({ children }: { children?: ReactNode }): null {
  const head = useContext(HeadContext)
  const id = useId()
  if (typeof window === 'undefined') head?.set(id, children)
  else {
    // The environment is the same in every render.
    // biome-ignore lint/correctness/useHookAtTopLevel: servers run no effects.
    useLayoutEffect(() => head?.set(id, children), [head, id, children])
    // biome-ignore lint/correctness/useHookAtTopLevel: as above.
    useLayoutEffect(() => () => head?.remove(id), [head, id])
  }
  return null
}

/** The elements that a document has without any of its own. */
export function defaultHead(): ReactElement[] {
  return [<meta charSet="utf-8" key="charset" />, <meta name="viewport" content="width=device-width" key="viewport" />]
}
