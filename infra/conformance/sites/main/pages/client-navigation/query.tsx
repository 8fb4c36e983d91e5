import { State } from '../../components/state'

export default function Query() {
  return <State />
}
