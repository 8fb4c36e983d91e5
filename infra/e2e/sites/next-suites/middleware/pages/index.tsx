import Link from 'next/link'
import { State } from '../components/state'

export const getStaticProps = () => ({ props: { text: 'root' } })

export default function Root(props: object) {
  return (
    <main>
      <h1>Root</h1>
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
