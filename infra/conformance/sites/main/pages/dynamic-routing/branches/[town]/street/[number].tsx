import { State } from '../../../../../components/state'

export const getServerSideProps = async () => ({ props: {} })

export default function Branch() {
  return <State />
}
