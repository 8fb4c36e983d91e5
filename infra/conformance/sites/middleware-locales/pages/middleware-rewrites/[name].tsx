import { State } from '../../components/state'

export const getServerSideProps = ({ params, query }: { params: object; query: object }) => ({
  props: { params, query },
})

export default function Page(props: object) {
  return <State props={props} />
}
