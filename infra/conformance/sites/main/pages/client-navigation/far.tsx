import type { GetServerSideProps } from 'next'
import Link from 'next/link'
import { useRouter } from 'next/router'
import { useState } from 'react'
import { State } from '../../components/state'

export const getServerSideProps: GetServerSideProps = async ({ req }) => ({
  props: { at: `http://${req.headers.host}/client-navigation` },
})

/** Links with whole addresses, of this site and of another. */
export default function Far({ at }: { at: string }) {
  const router = useRouter()
  const [isOver, setOver] = useState(false)
  const far = 'https://far.example/'
  return (
    <main>
      <State props={{ isOver }} />
      <Link id="far" href={far} onMouseEnter={() => setOver(true)} onMouseLeave={() => setOver(false)}>
        far
      </Link>
      <button id="far-push" type="button" onClick={() => void router.push(far)}>
        far
      </button>
      <button id="far-replace" type="button" onClick={() => void router.replace(far)}>
        far
      </button>
      <Link id="near" href={`${at}/pier`}>
        near
      </Link>
      <Link id="near-as" href={`${at}/berths/[berth]`} as={`${at}/berths/7`}>
        near
      </Link>
      <button id="near-push" type="button" onClick={() => void router.push(`${at}/pier`)}>
        near
      </button>
      <button id="near-replace" type="button" onClick={() => void router.replace(`${at}/pier`)}>
        near
      </button>
    </main>
  )
}
