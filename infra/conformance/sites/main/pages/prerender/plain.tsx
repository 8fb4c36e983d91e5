import { State } from '../../components/state'

export default function Plain() {
  return <State />
}
