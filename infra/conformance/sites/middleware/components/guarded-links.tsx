import Link from 'next/link'
import { State } from './state'

/** A page with links to the guarded pages, which shows its props. */
export function GuardedLinks({ title, props }: { title: string; props: object }) {
  return (
    <main>
      <h1>{title}</h1>
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
