import Head from 'next/head'
import { State } from '../../components/state'

export default function Both() {
  return (
    <>
      <Head>
        <title>The title of both</title>
      </Head>
      <h1>The heading of both</h1>
      <State />
    </>
  )
}
