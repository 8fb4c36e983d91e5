import Link from 'next/link'
import { State } from '../../components/state'

export default function Beds() {
  return (
    <main>
      <i className="seed" />
      <Link id="to-paths" href="/app-document/paths">
        Paths
      </Link>
      <i className="seed" />
      <State />
    </main>
  )
}
