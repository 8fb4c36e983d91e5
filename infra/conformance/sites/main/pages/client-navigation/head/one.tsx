import Head from 'next/head'
import Link from 'next/link'
import { State } from '../../../components/state'

export default function One() {
  return (
    <main>
      <Head>
        <meta name="description" content="of one" />
        <title>Head one</title>
      </Head>
      <State />
      <Link id="two" href="/client-navigation/head/two">
        two
      </Link>
      <Link id="three" href="/client-navigation/head/three">
        three
      </Link>
    </main>
  )
}
