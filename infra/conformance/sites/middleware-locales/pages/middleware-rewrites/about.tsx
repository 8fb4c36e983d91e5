import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { page: 'about' } })

export default function Page(props: object) {
  return <State props={props} />
}
