import type { GetServerSideProps } from 'next'

export const getServerSideProps: GetServerSideProps = async ({ res }) => {
  res.setHeader('Content-Type', 'text/html; charset=iso-8859-2')
  return { props: {} }
}

export default function Type() {
  return <h1>Another encoding</h1>
}
