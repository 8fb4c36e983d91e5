import { State } from '../../../components/state'

export const getServerSideProps = async ({ query }: { query: object }) => ({ props: { query } })

export default function Nested({ query }: { query: object }) {
  return <State props={query} />
}
