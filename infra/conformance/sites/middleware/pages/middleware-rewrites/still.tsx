import { State } from '../../components/state'

export const getStaticProps = () => ({ props: { page: 'still' } })

export default function Page(props: object) {
  return <State props={props} />
}
