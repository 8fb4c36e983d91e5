import { State } from '../../components/state'

export default function Sign() {
  return (
    <main id="sign-page">
      <State />
    </main>
  )
}
