import { State } from '../../../components/state'

export default function Details() {
  return <State />
}
