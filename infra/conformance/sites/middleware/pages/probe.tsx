import { State } from '../components/state'

/** Its HTML has the id of the build. */
export default function Probe() {
  return <State />
}
