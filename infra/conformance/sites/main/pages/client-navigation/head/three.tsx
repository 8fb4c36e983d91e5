import Head from 'next/head'
import Link from 'next/link'
import { State } from '../../../components/state'

export default function Three() {
  return (
    <main>
      <Head>
        <meta name="description" content="of three" />
        <title></title>
      </Head>
      <State />
      <Link id="one" href="/client-navigation/head/one">
        one
      </Link>
    </main>
  )
}
