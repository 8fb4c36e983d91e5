import Head from 'next/head'

export default function Empty() {
  return (
    <main>
      <Head />
      <h1>An empty head</h1>
    </main>
  )
}
