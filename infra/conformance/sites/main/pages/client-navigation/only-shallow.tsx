import { useRouter } from 'next/router'
import { useEffect, useState } from 'react'
import { State } from '../../components/state'

export default function OnlyShallow() {
  const router = useRouter()
  const [seen, setSeen] = useState({ complete: 0, errors: 0 })
  const { events } = router
  useEffect(() => {
    const complete = () => setSeen((before) => ({ ...before, complete: before.complete + 1 }))
    const fail = () => setSeen((before) => ({ ...before, errors: before.errors + 1 }))
    events.on('routeChangeComplete', complete)
    events.on('routeChangeError', fail)
    return () => {
      events.off('routeChangeComplete', complete)
      events.off('routeChangeError', fail)
    }
  }, [events])
  return (
    <main>
      <State props={seen} />
      <button id="replace" type="button" onClick={() => void router.replace('?a=1', undefined, { shallow: true })}>
        replace
      </button>
    </main>
  )
}
