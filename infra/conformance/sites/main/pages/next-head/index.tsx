import Head from 'next/head'
import { Parts } from '../../components/next-head/parts'
import { State } from '../../components/state'

export default function Heads() {
  return (
    <>
      <Head>
        <meta name="part-one" content="of the page" />
        <meta name="part-two" content="of the page" />
      </Head>
      <Parts />
      <State />
    </>
  )
}
