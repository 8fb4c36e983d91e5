import { State } from '../../components/state'

export default function Neither() {
  return <State />
}
