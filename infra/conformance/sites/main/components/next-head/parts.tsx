import Head from 'next/head'

/** Elements of the head, some of them in a fragment. */
export function Parts() {
  return (
    <Head>
      <meta name="part-three" content="of a component" />
      <meta name="part-four" content="of a component" />
      <>
        <meta name="part-in-fragment" content="of a fragment" />
      </>
    </Head>
  )
}
