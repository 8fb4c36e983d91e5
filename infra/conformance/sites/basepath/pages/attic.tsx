import Link from 'next/link'
import { State } from '../components/state'

export default function Attic() {
  return (
    <>
      <h1>Attic</h1>
      <Link id="index" href="/">
        Library
      </Link>
      <State />
    </>
  )
}
