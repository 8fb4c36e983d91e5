import Link from 'next/link'
import { withRouter } from 'next/router'
import { State } from '../../components/state'

const page = '/client-navigation/way'
const at = '/client-navigation/some'

const LINKS: readonly [id: string, href: string, as?: string][] = [
  ['left', `${page}?to=left`, `${at}/left`],
  ['left-too', `${page}?to=left`, `${at}/left-too`],
  ['none', page, `${at}/none`],
  ['plain', page],
  ['query-left', `${page}?to=left`, `${at}/query?to=left`],
  ['query-right', `${page}?to=right`, `${at}/query?to=right`],
]

export default withRouter(function Way() {
  return (
    <main>
      <State />
      {LINKS.map(([id, href, as]) => (
        <Link key={id} id={id} href={href} {...(as && { as })}>
          {id}
        </Link>
      ))}
    </main>
  )
})
