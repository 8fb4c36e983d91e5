import { State } from '../../../components/state'

export default function Post() {
  return <State />
}
