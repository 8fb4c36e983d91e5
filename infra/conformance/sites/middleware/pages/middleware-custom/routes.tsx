import Link from 'next/link'
import { State } from '../../components/state'

export default function Routes() {
  return (
    <main>
      <Link href="/middleware-custom/query?flower=rose" id="query">
        query
      </Link>
      <Link href="/middleware-custom/cookie" id="cookie">
        cookie
      </Link>
      <State />
    </main>
  )
}
