import { useRouter } from 'next/router'

/** Shows what the page knows about its address, and what it was given. */
export function State({ props }: { props?: unknown }) {
  const { pathname, asPath, query } = useRouter()
  return <pre id="state">{JSON.stringify({ pathname, asPath, query, props })}</pre>
}
