import Link from 'next/link'
import { State } from '../../components/state'

export default function Pier() {
  return (
    <main id="pier-page">
      <h1>The pier</h1>
      <State />
      <Link href="/client-navigation" legacyBehavior>
        {/* biome-ignore lint/a11y/useValidAnchor: the link adds the address */}
        <a id="harbour-link">harbour</a>
      </Link>
    </main>
  )
}
