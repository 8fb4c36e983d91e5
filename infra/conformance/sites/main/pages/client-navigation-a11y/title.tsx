import Head from 'next/head'
import { State } from '../../components/state'

export default function Title() {
  return (
    <>
      <Head>
        <title>A title alone</title>
      </Head>
      <State />
    </>
  )
}
