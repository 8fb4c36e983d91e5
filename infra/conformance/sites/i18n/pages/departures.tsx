import Link from 'next/link'
import { State } from '../components/state'

/** Links to pages that redirect. */
export default function Departures() {
  return (
    <>
      <State />
      {['sent', 'sent-later', 'sent-once'].flatMap((page) =>
        ['nl', 'fr', 'own'].map((to) => (
          <Link key={page + to} id={`${page}-${to}`} href={`/${page}/${to}`}>
            {page} {to}
          </Link>
        )),
      )}
    </>
  )
}
