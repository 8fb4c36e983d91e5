import Link from 'next/link'
import { useRouter } from 'next/router'
import { Rows } from '../../components/client-navigation/rows'
import { State } from '../../components/state'

const arrival = '/client-navigation/arrival'

export default function Long() {
  const router = useRouter()
  return (
    <main>
      <State />
      <Rows />
      <Link id="arrive" href={arrival}>
        arrive
      </Link>
      <button id="arrive-push" type="button" onClick={() => void router.push(arrival)}>
        arrive
      </button>
      <button id="arrive-below" type="button" onClick={() => void router.push(arrival, arrival, { scroll: false })}>
        arrive
      </button>
    </main>
  )
}
