import { State } from '../../../components/state'

export default function Plain() {
  return (
    <main>
      <h1>Plain b</h1>
      <State props={{ page: 'b' }} />
    </main>
  )
}
