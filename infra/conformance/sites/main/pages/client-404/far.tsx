import { State } from '../../components/state'

export const getServerSideProps = async () => ({ props: {} })

export default function Far() {
  return <State />
}
