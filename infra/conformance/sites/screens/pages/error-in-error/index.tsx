import Link from 'next/link'
import { State } from '../../components/state'

export default function Start() {
  return (
    <>
      <State />
      <Link id="to-broken" href="/error-in-error/broken">
        broken
      </Link>
    </>
  )
}
