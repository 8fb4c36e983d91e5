import Link from 'next/link'
import { useRouter } from 'next/router'
import { type ReactNode, useEffect, useState } from 'react'

export const getServerSideProps = async () => ({ props: { at: Date.now() } })

export default function Feed({ at }: { at: number }) {
  const router = useRouter()
  const [first, setFirst] = useState<number>()
  useEffect(() => setFirst((before) => before ?? at), [at])
  return (
    <main>
      <h1>Feed</h1>
      <Link id="open" href="/feed?photo=7" as="/photos/7" scroll={false}>
        open photo 7
      </Link>
      <Link id="open-shallow" href="/feed?photo=8" as="/photos/8" shallow>
        open photo 8
      </Link>
      <p id="address">{router.asPath}</p>
      <p id="same">{String(first === at)}</p>
      {router.query.photo === undefined ? null : (
        <dialog open>Photo {router.query.photo as ReactNode} in the feed</dialog>
      )}
    </main>
  )
}
