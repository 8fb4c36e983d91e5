import { State } from '../../../components/state'

export const getServerSideProps = () => ({ props: { group: 'b' } })

export default function Page(props: object) {
  return <State props={props} />
}
