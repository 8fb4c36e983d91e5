import Link from 'next/link'
import { State } from '../../components/state'

const AT = '/middleware-rewrites/tongue'

export const getServerSideProps = ({ query }: { query: { tongue: string } }) => ({ props: { tongue: query.tongue } })

export default function Tongue(props: object) {
  return (
    <main>
      <Link href={AT} locale="fr" id="to-fr">
        fr
      </Link>
      <Link href={AT} locale="en" id="to-en">
        en
      </Link>
      <Link href={`/fr${AT}`} locale={false} id="written-fr">
        fr
      </Link>
      <State props={props} />
    </main>
  )
}
