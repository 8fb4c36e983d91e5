import type { GetServerSideProps } from 'next'
import Link from 'next/link'
import { useState } from 'react'
import { State } from '../../components/state'

export const getServerSideProps: GetServerSideProps = async ({ query }) => ({
  props: { count: Number(query.count ?? 0) },
})

export default function Bell({ count }: { count: number }) {
  const [rung, setRung] = useState(0)
  const ring = () => setRung((before) => before + 1)
  return (
    <main>
      <State props={{ count, rung }} />
      <Link id="ring" href={`/client-navigation/bell?count=${count + 1}`} replace onClick={ring}>
        ring
      </Link>
      <Link
        id="ring-only"
        href="/client-navigation/bell?count=99"
        onClick={(event) => {
          event.preventDefault()
          ring()
        }}
      >
        ring
      </Link>
    </main>
  )
}
