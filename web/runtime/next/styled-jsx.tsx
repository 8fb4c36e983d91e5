// styled-jsx (X12): the package that comes with Next.js, with a registry of styles for each render on the server. The build
// writes the component into modules that have styles.

import { type ReactNode, useContext, useInsertionEffect } from 'react'
import { createStyleRegistry, StyleRegistry as Registry, useStyleRegistry as useNearest } from 'styled-jsx'
import JSXStyle from 'styled-jsx/style'
import { HeadContext, LATE_STYLE, type StyleRegistryState } from './head-state.ts'

export { createStyleRegistry }

/** The registry of the nearest StyleRegistry; on the server that of the render without one. */
export function useStyleRegistry(): StyleRegistryState | undefined {
  const nearest: StyleRegistryState | null = useNearest()
  const head = useContext(HeadContext)
  if (typeof window !== 'undefined' || nearest || !head) return nearest ?? undefined
  head.styles ??= createStyleRegistry()
  return head.styles
}

interface RegistryProps {
  children?: ReactNode
  registry?: StyleRegistryState
}

/** As in Next.js, the registry of the render comes before the given one. */
export function StyleRegistry({ registry, children }: RegistryProps): ReactNode {
  const used = useStyleRegistry() ?? registry
  return <Registry {...(used && { registry: used })}>{children}</Registry>
}

interface StyleProps {
  id: string
  dynamic?: unknown[]
  /** Packages have a list of rules, or an object of a text. */
  children?: unknown
}

// The cast: the type of the package has no members.
const { dynamic: classesOf } = JSXStyle as unknown as {
  dynamic(styles: [id: string, dynamic: unknown[] | undefined][]): string
}

/** The rules of one style, in the document while an element has it. */
export function Style({ id, dynamic, children }: StyleProps): ReactNode {
  // One form in all modules: the package inserts lists of rules and texts in different ways, that of the first style.
  const rules = Array.isArray(children) ? children.join('') : String(children)
  const registry = useStyleRegistry()
  useInsertionEffect(() => document.getElementById(LATE_STYLE + classesOf([[id, dynamic]]))?.remove())
  if (typeof window !== 'undefined')
    return (
      <JSXStyle id={id} dynamic={dynamic}>
        {rules}
      </JSXStyle>
    )
  // SECURITY: the package escapes `</style` in rules that have values.
  registry?.add({ id, dynamic, children: rules })
  return null
}
Style.dynamic = classesOf

/** The package is a CommonJS module, whose default import is the object of its exports. */
export default { createStyleRegistry, StyleRegistry, useStyleRegistry, style: Style }
