import Link from 'next/link'
import { useRouter } from 'next/router'

/** Names the route of the router around it, and links to two pages. */
export function Rows() {
  return (
    <main>
      <em>row {useRouter().pathname}</em>
      <Link id="first" href="/app-tree">
        First
      </Link>
      <Link id="second" href="/app-tree/second">
        Second
      </Link>
    </main>
  )
}
