import { Links } from '../../components/links'
import { State } from '../../components/state'

let arrived = 0

export const getServerSideProps = async () => ({ props: { arrived: ++arrived } })

export default function Arrivals({ arrived }: { arrived: number }) {
  return (
    <main>
      <State props={{ arrived }} />
      <Links to={{ home: { href: '/getserversideprops' } }} />
    </main>
  )
}
