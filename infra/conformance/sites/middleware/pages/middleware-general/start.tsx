import { State } from '../../components/state'

export default function Start() {
  return (
    <main>
      <h1>Start</h1>
      <State props={{ page: 'start' }} />
    </main>
  )
}
