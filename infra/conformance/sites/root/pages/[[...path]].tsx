import { useRouter } from 'next/router'

export const getServerSideProps = async ({ query }: { query: object }) => ({ props: { query } })

/** Shows its state as the component of the other sites. */
export default function Any({ query: props }: { query: object }) {
  const { pathname, asPath, query } = useRouter()
  return <pre id="state">{JSON.stringify({ pathname, asPath, query, props })}</pre>
}
