import type { GetServerSideProps } from 'next'
import Link from 'next/link'
import { State } from '../../components/state'

export const getServerSideProps: GetServerSideProps = async ({ query }) => ({ props: { id: Number(query.id ?? 0) } })

export default function Tides({ id }: { id: number }) {
  return (
    <main>
      <State props={{ id }} />
      <Link id="next" href={`/client-navigation/tides?id=${id + 1}`}>
        next
      </Link>
      <Link id="plain" href="/client-navigation/tides">
        plain
      </Link>
    </main>
  )
}
