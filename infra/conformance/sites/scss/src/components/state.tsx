import { useRouter } from 'next/router'

/** Shows what the page knows about its address. */
export function State() {
  const { pathname, asPath, query } = useRouter()
  return <pre id="state">{JSON.stringify({ pathname, asPath, query })}</pre>
}
