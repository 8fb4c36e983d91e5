// ErrorBoundary of `portico`: shows an error in place of a part of a page (E5).

import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import type { ReactNode } from 'react'
import { Boundary, retryAfterEdit } from './boundaries.tsx'
import { useRouter } from './router-context.ts'

/** What the fallback of an ErrorBoundary receives. */
export interface CaughtError {
  /** The thrown value; any value may be thrown. */
  error: unknown
  /** Finds the error in the server's log; undefined for an error of the browser. */
  digest: string | undefined
  /** Renders the part again. */
  retry: () => void
}

/** The props of an ErrorBoundary: the part, and what takes its place. */
export interface ErrorBoundaryProps {
  /** Shown in place of the part. */
  fallback: ReactNode | ((caught: CaughtError) => ReactNode)
  children: ReactNode
}

/**
 * Keeps an error in a part of a page from the rest of the page: when the part throws while it renders in the browser, the
 * boundary shows `fallback` until `retry` is called or the address changes. `redirect()`, `notFound()`, `unauthorized()`
 * and `forbidden()` pass it, because they concern the whole page. On the server React has error boundaries only in the
 * form of `Suspense`: with one inside of the boundary, a part that fails there is rendered again in the browser; without
 * one the page is a 500.
 *
 * @example
 * ```tsx
 * // pages/weather.tsx
 * import { ErrorBoundary } from 'portico'
 * import { Suspense } from 'react'
 *
 * function Forecast({ days }: { days: string[] }) {
 *   if (days.length === 0) throw new Error('no forecast')
 *   return <p>{days.join(', ')}</p>
 * }
 *
 * export default function Weather() {
 *   return (
 *     <main>
 *       <h1>Weather</h1>
 *       <ErrorBoundary fallback={({ retry }) => <button onClick={retry}>No forecast now. Try again</button>}>
 *         <Suspense fallback={<p>Loading</p>}>
 *           <Forecast days={[]} />
 *         </Suspense>
 *       </ErrorBoundary>
 *     </main>
 *   )
 * }
 * ```
 */
export function ErrorBoundary({ fallback, children }: ErrorBoundaryProps): ReactNode {
  const { asPath } = useRouter()
  return (
    <PartBoundary resetKey={asPath} fallback={fallback}>
      {children}
    </PartBoundary>
  )
}

class PartBoundary extends Boundary<ErrorBoundaryProps & { resetKey: string }> {
  override componentDidCatch(): void {
    if (process.env.NODE_ENV !== 'production') retryAfterEdit(this)
  }

  override render(): ReactNode {
    const { thrown } = this.state
    const { children, fallback } = this.props
    if (!thrown) return children
    const { error } = thrown
    // React passes this to the next boundary, which is that of the page.
    if (controlFlowOf(error)) throw error
    if (typeof fallback !== 'function') return fallback
    const { digest } = Object(error) as { digest?: unknown }
    return fallback({ error, digest: typeof digest === 'string' ? digest : undefined, retry: this.retry })
  }
}
