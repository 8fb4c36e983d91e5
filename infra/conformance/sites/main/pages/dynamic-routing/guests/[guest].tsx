import type { NextPageContext } from 'next'
import Link from 'next/link'
import { State } from '../../../components/state'

export default function Guest({ seen }: { seen: object }) {
  return (
    <main>
      <State props={seen} />
      <Link id="other" href="/dynamic-routing/guests/otto">
        Otto
      </Link>
    </main>
  )
}

Guest.getInitialProps = async ({ query }: NextPageContext) => ({ seen: query })
