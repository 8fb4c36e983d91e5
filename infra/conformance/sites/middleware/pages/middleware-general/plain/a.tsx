import { State } from '../../../components/state'

export default function Plain() {
  return (
    <main>
      <h1>Plain a</h1>
      <State props={{ page: 'a' }} />
    </main>
  )
}
