import Link from 'next/link'
import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { drawn: Math.random() } })

export default function Shallow(props: object) {
  return (
    <main>
      <h1>Shallow</h1>
      <Link href="/middleware-general/short?hello=there" id="there">
        there
      </Link>
      <Link href="/middleware-general/short?hello=again" id="again" shallow>
        again
      </Link>
      <State props={props} />
    </main>
  )
}
