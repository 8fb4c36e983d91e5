import { State } from '../../components/state'

export default function Responses() {
  return (
    <main>
      <h1>Responses</h1>
      <State props={{ page: 'responses' }} />
    </main>
  )
}
