import { State } from '../../../components/state'

/** Static: the browser knows the room. */
export default function Room() {
  return <State />
}
