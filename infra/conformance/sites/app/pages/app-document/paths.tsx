import { State } from '../../components/state'

export default function Paths() {
  return <State />
}
