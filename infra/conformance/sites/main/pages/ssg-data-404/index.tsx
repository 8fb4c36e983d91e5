import { State } from '../../components/state'

export default function Start() {
  return <State />
}
