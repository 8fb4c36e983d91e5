import { State } from '../../components/state'

export const getServerSideProps = async () => ({ props: {} })

export default function EachTime() {
  return <State />
}
