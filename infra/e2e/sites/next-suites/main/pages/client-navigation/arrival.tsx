import { useLayoutEffect, useState } from 'react'
import { Rows } from '../../components/client-navigation/rows'
import { State } from '../../components/state'

/** Where the page was scrolled to when it was shown first. */
export default function Arrival() {
  const [top, setTop] = useState(-1)
  useLayoutEffect(() => setTop(window.scrollY), [])
  return (
    <main id="arrival">
      <State props={{ top }} />
      <Rows />
    </main>
  )
}
