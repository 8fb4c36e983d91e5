import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../state'

/** A page of the observatory: its props, or that it has none yet. */
export function Shown({ props }: { props: unknown }) {
  const { isFallback } = useRouter()
  return (
    <main>
      {isFallback ? <h1 id="waiting">No data yet</h1> : <h1 id="shown">Data</h1>}
      <State props={isFallback ? { isFallback } : props} />
      <Link id="home" href="/prerender">
        Home
      </Link>
    </main>
  )
}
