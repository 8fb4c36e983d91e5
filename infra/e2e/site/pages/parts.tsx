// Addresses that differ in query and hash only. The server says which query it saw.

import { Link, useNavigation, useRouter } from 'portico'

export const getServerSideProps = async ({ query }: { query: Record<string, string | string[] | undefined> }) => ({
  props: { seen: String(query.q ?? 'none') },
})

const HREFS = ['#end', '?q=1', '?q=1#end', '?q=2#end', '/parts', '/parts#end']

export default function Parts({ seen }: { seen: string }) {
  const { state } = useNavigation()
  const { asPath } = useRouter()
  return (
    <div className="tall">
      <title>Parts</title>
      <h1>Parts</h1>
      <p id="seen">{seen}</p> <p id="path">{asPath}</p> <p id="state">{state}</p>
      {HREFS.map((href) => (
        <Link key={href} href={href}>
          {href}{' '}
        </Link>
      ))}
      <a id="plain" href="#end">
        plain
      </a>
      <p id="end" style={{ marginTop: '100rem' }}>
        End
      </p>
    </div>
  )
}
