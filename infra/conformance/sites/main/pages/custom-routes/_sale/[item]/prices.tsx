import { State } from '../../../../components/state'

export default function Prices() {
  return <State />
}
