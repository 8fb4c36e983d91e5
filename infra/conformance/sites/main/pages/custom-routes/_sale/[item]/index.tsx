import { State } from '../../../../components/state'

export default function Sale() {
  return <State />
}
