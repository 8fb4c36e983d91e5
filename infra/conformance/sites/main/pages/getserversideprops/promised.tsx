import { State } from '../../components/state'

export const getServerSideProps = async () => ({ props: Promise.resolve({ cargo: 'tea' }) })

export default function Promised(props: object) {
  return <State props={props} />
}
