import Script from 'next/script'
import { State } from '../../components/state'

export default function Scripts() {
  return (
    <main>
      <State />
      <Script src="/client-navigation/async.js" async />
      <Script src="/client-navigation/plain.js" async={false} />
      <Script src="/client-navigation/defer.js" defer />
    </main>
  )
}
