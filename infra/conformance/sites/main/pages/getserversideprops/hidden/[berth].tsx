import { State } from '../../../components/state'

export const getServerSideProps = async ({ query }: { query: { fog?: string } }) =>
  query.fog ? { notFound: true } : { notFound: false, props: { seen: true } }

export default function Berth(props: object) {
  return <State props={props} />
}
