import type { GetServerSidePropsContext } from 'next'

export const getServerSideProps = ({ res }: GetServerSidePropsContext) => {
  console.error('the bell is rung')
  return { props: { status: res.statusCode } }
}

export default function Bell({ status }: { status: number }) {
  return <p>Bell for {status}</p>
}
