// The order of stylesheets under development. Vite's client adds an element for each stylesheet when its module runs for the
// first time, and removes none when another page is shown; the page has the order of a build all the same.

import type { DevStyles } from '@portico/shared/wire/dev/dev-wire.ts'

interface StyleOrderDeps {
  /** The stylesheets of a page; undefined if the server cannot load the page. */
  fetchStyles: (module: string) => Promise<DevStyles | undefined>
}

const ELEMENTS = 'style[data-vite-dev-id]'

export function createStyleOrder({ fetchStyles }: StyleOrderDeps) {
  const pages = new Map<string, readonly string[]>()
  let app: readonly string[] = []
  let shown: readonly string[] = []
  const load = async (names: readonly string[]) => {
    await Promise.all(
      names.map(async (name) => {
        const styles = await fetchStyles(name)
        if (!styles) return void pages.delete(name)
        app = styles.app
        pages.set(name, styles.page)
      }),
    )
  }
  const apply = (names: readonly string[]) => {
    shown = names
    const own = names.map((name) => pages.get(name))
    const page = own.flatMap((ids) => ids ?? [])
    // Nothing is known of a page that the server cannot load.
    const others = own.includes(undefined) ? [] : [...pages.values()].flat()
    const elements = [...document.querySelectorAll<HTMLStyleElement>(ELEMENTS)]
    const { order, hidden } = orderStyles(elements.map(idOf), { app, page, others })
    const ordered = elements.toSorted((one, other) => order.indexOf(idOf(one)) - order.indexOf(idOf(other)))
    if (ordered.some((element, index) => element !== elements[index])) elements[0]?.before(...ordered)
    for (const element of elements) element.media = hidden.includes(idOf(element)) ? 'not all' : ''
  }
  /** The imports of the page may have changed. */
  const update = async () => {
    const names = shown
    await load(names)
    if (names === shown) apply(names)
  }
  return {
    load,
    apply,
    update,
    start(names: readonly string[]) {
      shown = names
      void update()
    },
  }
}

function idOf(element: HTMLStyleElement): string {
  return element.dataset.viteDevId ?? ''
}

interface KnownStyles {
  app: readonly string[]
  page: readonly string[]
  /** The sheets of every page that was shown or loaded. */
  others: readonly string[]
}

/** The order of elements by their ids, and which of them do not apply. Those of no page are of code that was loaded late. */
export function orderStyles(
  ids: readonly string[],
  { app, page, others }: KnownStyles,
): { order: string[]; hidden: string[] } {
  const first = new Set([...app, ...page])
  const there = new Set(ids)
  const rest = ids.filter((id) => !first.has(id))
  return {
    order: [...[...first].filter((id) => there.has(id)), ...rest],
    hidden: rest.filter((id) => others.includes(id)),
  }
}
