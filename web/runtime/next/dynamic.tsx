// `next/dynamic`: a component whose code is loaded when the component is rendered, with `ssr: false` in the browser
// only (X3).

import { type ComponentType, lazy, type ReactNode, Suspense, useReducer, useSyncExternalStore } from 'react'

type Module<Props> = ComponentType<Props> | { default: ComponentType<Props> }
export type Loader<Props = object> = (() => Promise<Module<Props>>) | Promise<Module<Props>>

/** The props of `loading`. */
export interface DynamicOptionsLoadingProps {
  error?: Error | null
  isLoading?: boolean
  pastDelay?: boolean
  timedOut?: boolean
  retry?: () => void
}

export interface DynamicOptions<Props = object> {
  loader?: Loader<Props>
  loading?: (props: DynamicOptionsLoadingProps) => ReactNode
  /** false: the server renders `loading`. */
  ssr?: boolean
}

/**
 * Makes a component from a dynamic import. The first argument is the function, its promise, or all options; `loading`
 * is shown until the code has arrived, and with `error` when the code cannot be loaded.
 */
export default function dynamic<Props = object>(
  first: Loader<Props> | DynamicOptions<Props>,
  second: DynamicOptions<Props> = {},
): ComponentType<Props> {
  const { loader, loading, ssr = true } = { ...optionsOf(first), ...second }
  if (loader === undefined) throw new Error('dynamic() needs a function that imports the component.')
  const load = typeof loader === 'function' ? loader : () => loader
  const begin = () => lazyOf(load, loading)
  // One attempt for all uses of the component.
  const attempt = { Content: begin() }

  return function Dynamic(props: Props) {
    const isBrowser = useSyncExternalStore(never, isTrue, isFalse)
    const [, render] = useReducer((count: number) => count + 1, 0)
    const retry = () => {
      attempt.Content = begin()
      render()
    }
    const fallback = loading ? <Loading of={loading} /> : null
    const { Content } = attempt
    if (!ssr && !isBrowser) return fallback
    return (
      <Suspense fallback={fallback}>
        <Content props={props} retry={retry} />
      </Suspense>
    )
  }
}

/** The component that `make` returns, in the browser only; the server renders `loading`. */
export function noSSR<Props = object>(
  make: (options: DynamicOptions<Props>) => ComponentType<Props>,
  options: DynamicOptions<Props>,
): ComponentType<Props> {
  if (typeof window !== 'undefined') return make(options)
  const { loading } = options
  return () => (loading ? <Loading of={loading} /> : null)
}

/** While the code is loaded there is nothing to try again. */
const noRetry = () => {}
const never = () => () => {}
const isTrue = () => true
const isFalse = () => false

function optionsOf<Props>(first: Loader<Props> | DynamicOptions<Props>): DynamicOptions<Props> {
  return typeof first === 'function' || first instanceof Promise ? { loader: first } : first
}

interface ContentProps<Props> {
  props: Props
  retry: () => void
}

function lazyOf<Props>(load: () => Promise<Module<Props>>, loading: DynamicOptions['loading']) {
  return lazy(async (): Promise<{ default: ComponentType<ContentProps<Props>> }> => {
    try {
      const loaded = await load()
      // The cast: a module with a default export, or the component itself.
      const Component = ((loaded as { default?: unknown }).default ?? loaded) as ComponentType<Props & object>
      return { default: ({ props }) => <Component {...(props as Props & object)} /> }
    } catch (error) {
      // Without `loading` the boundary of the page shows the error.
      if (!loading) throw error
      return { default: ({ retry }) => <Loading of={loading} error={error} retry={retry} /> }
    }
  })
}

interface LoadingProps {
  of: NonNullable<DynamicOptions['loading']>
  error?: unknown
  retry?: () => void
}

function Loading({ of, error, retry }: LoadingProps): ReactNode {
  const failed = error === undefined ? null : error instanceof Error ? error : new Error(String(error))
  return of({ error: failed, isLoading: failed === null, pastDelay: true, timedOut: false, retry: retry ?? noRetry })
}
