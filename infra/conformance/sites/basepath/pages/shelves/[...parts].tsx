import { State } from '../../components/state'

export default function Shelves() {
  return <State />
}
