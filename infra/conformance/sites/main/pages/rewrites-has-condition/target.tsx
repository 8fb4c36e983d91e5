import { State } from '../../components/state'

export default function Target() {
  return <State />
}
