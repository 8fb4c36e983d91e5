import Link from 'next/link'
import { State } from '../../components/state'

let runs = 0

export const getServerSideProps = async () => ({ props: { run: ++runs } })

export default function Again({ run }: { run: number }) {
  return (
    <main>
      <State props={{ run }} />
      <Link id="again" href="/client-navigation/again">
        again
      </Link>
    </main>
  )
}
