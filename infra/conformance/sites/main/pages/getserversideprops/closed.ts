import type { GetServerSidePropsContext } from 'next'

/** Sends the response itself. */
export async function getServerSideProps({ res }: GetServerSidePropsContext) {
  res.statusCode = 200
  res.end('the office is closed')
  return { props: {} }
}

export default function Closed() {
  return null
}
