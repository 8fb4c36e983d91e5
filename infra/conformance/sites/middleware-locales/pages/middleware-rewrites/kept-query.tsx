import { State } from '../../components/state'

export const getServerSideProps = ({ query }: { query: object }) => ({ props: { query } })

export default function Page(props: object) {
  return <State props={props} />
}
