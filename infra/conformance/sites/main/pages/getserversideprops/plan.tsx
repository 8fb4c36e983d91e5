import { Links } from '../../components/links'
import { State } from '../../components/state'

/** Without data. */
export default function Plan() {
  return (
    <main>
      <h1>Plan of the harbour</h1>
      <State />
      <Links to={{ home: { href: '/getserversideprops' } }} />
    </main>
  )
}
