import { State } from '../components/state'

export const getServerSideProps = async () => ({ props: { paper: 'gazette' } })

export default function Fresh(props: object) {
  return <State props={props} />
}
