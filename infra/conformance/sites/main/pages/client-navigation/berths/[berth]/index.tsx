import { State } from '../../../../components/state'

export default function Berth() {
  return <State />
}
