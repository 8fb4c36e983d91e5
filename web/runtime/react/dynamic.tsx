// dynamic(): a component whose code is loaded when it is first needed.

import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

type Loaded<Props> = ComponentType<Props> | { default: ComponentType<Props> }

/** Wraps a dynamic import; `loading` is shown until the code is there. */
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
