import { useLayoutEffect, useState } from 'react'
import { Rows } from '../../components/client-navigation/rows'
import { State } from '../../components/state'

/** Where the page was scrolled to when it was shown first, and the address when it was rendered first. */
export default function Arrival() {
  const [top, setTop] = useState(-1)
  const [path] = useState(() => globalThis.location?.pathname)
  useLayoutEffect(() => setTop(window.scrollY), [])
  return (
    <main id="arrival">
      <State props={{ top, path }} />
      <Rows />
    </main>
  )
}
