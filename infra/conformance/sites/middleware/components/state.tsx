import { useRouter } from 'next/router'

/** Shows what the page knows about its address, and what it was given. The behaviours read it. `isReady` is not the same in the HTML
 * and at hydration of a static page of Next.js, so it is not here. */
export function State({ props }: { props?: unknown }) {
  const { pathname, asPath, query } = useRouter()
  return <pre id="state">{JSON.stringify({ pathname, asPath, query, props })}</pre>
}
