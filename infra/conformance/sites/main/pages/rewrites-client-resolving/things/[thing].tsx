import { State } from '../../../components/state'

export default function Page() {
  return <State />
}
