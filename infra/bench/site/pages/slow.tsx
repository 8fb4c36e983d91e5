// A page that waits for its data for five seconds and needs no processor meanwhile.

import type { GetServerSideProps } from 'portico'

export const getServerSideProps = (async () => {
  await new Promise((done) => setTimeout(done, 5000))
  return { props: {} }
}) satisfies GetServerSideProps

export default function Slow() {
  return <p>five seconds later</p>
}
