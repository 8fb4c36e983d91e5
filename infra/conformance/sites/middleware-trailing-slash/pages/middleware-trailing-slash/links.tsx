import Link from 'next/link'
import { State } from '../../components/state'

export default function Links() {
  return (
    <main>
      <Link href="/middleware-trailing-slash/wares/polo_2.0/7.html" id="file">
        file
      </Link>
      <Link href="/middleware-trailing-slash/wares/polo_2.0/7" id="plain">
        plain
      </Link>
      <State />
    </main>
  )
}
