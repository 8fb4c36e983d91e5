import Link from 'next/link'
import { State } from '../../components/state'

export default function Redirects() {
  return (
    <main>
      <h1>Redirects</h1>
      <p>
        <Link href="/middleware-redirects/former" id="former">
          former
        </Link>
        <Link href="/middleware-redirects/former?abroad=1" id="abroad">
          abroad
        </Link>
        <Link href="/middleware-redirects/to-handler" id="handler">
          handler
        </Link>
      </p>
      <State props={{ page: 'redirects' }} />
    </main>
  )
}
