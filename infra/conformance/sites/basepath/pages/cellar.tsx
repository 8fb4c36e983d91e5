import Link from 'next/link'
import { State } from '../components/state'

export default function Cellar() {
  return (
    <>
      <h1>Cellar</h1>
      <Link id="index" href="/">
        Library
      </Link>
      <State />
    </>
  )
}
