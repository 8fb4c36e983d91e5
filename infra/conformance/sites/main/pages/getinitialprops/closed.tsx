import { State } from '../../components/state'

export default function Closed() {
  return <State />
}
