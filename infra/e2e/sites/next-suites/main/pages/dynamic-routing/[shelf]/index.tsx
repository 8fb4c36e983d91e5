import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../../../components/state'

export const getServerSideProps = async () => ({ props: {} })

export default function Shelf() {
  return (
    <main>
      <h1>Shelf {useRouter().query.shelf}</h1>
      <State />
      <Link id="fragment" href="#labels">
        labels
      </Link>
      <Link id="fragment-object" href={{ hash: 'bottom' }}>
        bottom
      </Link>
    </main>
  )
}
