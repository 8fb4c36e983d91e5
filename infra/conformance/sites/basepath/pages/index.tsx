import Link from 'next/link'
import { State } from '../components/state'

export const getStaticProps = () => ({ props: { shelf: 'novels' } })

export default function Index(props: object) {
  return (
    <>
      <h1>Library</h1>
      <Link id="desk" href="/desk">
        Desk
      </Link>
      <State props={props} />
    </>
  )
}
