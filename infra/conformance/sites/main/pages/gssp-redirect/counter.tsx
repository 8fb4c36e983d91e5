import { State } from '../../components/state'

export default function Counter() {
  return (
    <main>
      <h1>Counter</h1>
      <State />
    </main>
  )
}
