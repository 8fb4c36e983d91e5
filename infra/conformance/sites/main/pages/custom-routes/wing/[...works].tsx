import { State } from '../../../components/state'

export const getServerSideProps = async ({ params }) => ({ props: { params } })

export default function Wing(props) {
  return <State props={props} />
}
