// dynamic(): a component whose code the browser loads when the component is first rendered.

import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

type Loaded<Props> = ComponentType<Props> | { default: ComponentType<Props> }

/**
 * Makes a component from a dynamic import: the browser loads its code when the component is first rendered and shows
 * `loading` until then. The server renders the component itself. `load` resolves with the component or with a module
 * that has it as default export.
 *
 * @example
 * ```tsx
 * // components/lazy-map.tsx
 * import { dynamic } from 'portico'
 *
 * export const LazyMap = dynamic(() => import('./map.tsx'), { loading: () => <p>Loading the map …</p> })
 * ```
 *
 * ```tsx
 * // components/map.tsx
 * export default function Map({ zoom = 1 }: { zoom?: number }) {
 *   return <div data-zoom={zoom} />
 * }
 * ```
 */
export function dynamic<Props extends object>(
  load: () => Promise<Loaded<Props>>,
  { loading: Loading }: { loading?: () => ReactNode } = {},
): ComponentType<Props> {
  const Lazy = lazy(async () => {
    const loaded = await load()
    return 'default' in loaded ? loaded : { default: loaded }
  })
  return (props: Props) => (
    <Suspense fallback={Loading ? <Loading /> : null}>
      <Lazy {...props} />
    </Suspense>
  )
}
