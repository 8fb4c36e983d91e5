import type { GetServerSideProps } from 'next'
import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../../components/state'

export const getServerSideProps: GetServerSideProps = async ({ query }) => ({ props: { knot: query.knot ?? '' } })

/** Addresses that are a query only. */
export default function Only({ knot }: { knot: string }) {
  const router = useRouter()
  return (
    <main>
      <State props={{ knot }} />
      <Link id="link" href="?knot=bowline">
        link
      </Link>
      <button id="push" type="button" onClick={() => void router.push('?knot=reef')}>
        push
      </button>
      <button id="replace" type="button" onClick={() => void router.replace('?knot=hitch')}>
        replace
      </button>
    </main>
  )
}
