import { State } from '../../../components/state'

export default function Parts() {
  return <State props={{ page: 'parts' }} />
}
