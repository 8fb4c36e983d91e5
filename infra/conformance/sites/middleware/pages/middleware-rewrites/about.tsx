import { State } from '../../components/state'

export const getServerSideProps = ({ query }: { query: object }) => ({ props: { page: 'about', query } })

export default function Page(props: object) {
  return <State props={props} />
}
