import { State } from '../../../components/state'

export const getServerSideProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Page(props: object) {
  return <State props={props} />
}
