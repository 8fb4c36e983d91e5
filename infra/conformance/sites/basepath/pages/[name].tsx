import { State } from '../components/state'

export default function Named() {
  return <State />
}
