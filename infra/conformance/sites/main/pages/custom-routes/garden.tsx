import Link from 'next/link'
import { State } from '../../components/state'

export default function Garden() {
  return (
    <>
      <h1>Garden</h1>
      <Link id="entrance" href="/custom-routes/entrance">
        Entrance
      </Link>
      <State />
    </>
  )
}
