import Link from 'next/link'
import { State } from '../../../components/state'

export const getServerSideProps = () => ({ props: { text: 'guarded' } })

export default function Guarded(props: object) {
  return (
    <main>
      <h1>Guarded</h1>
      <Link href="/middleware-matcher/guarded" id="guarded">
        guarded
      </Link>
      <Link href="/middleware-matcher/guarded/one" id="one">
        one
      </Link>
      <Link href="/middleware-matcher/guarded/two" id="two">
        two
      </Link>
      <State props={props} />
    </main>
  )
}
