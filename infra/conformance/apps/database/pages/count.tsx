// How many notes the database has, read for each request.

import type { GetServerSideProps } from 'next'
import Link from 'next/link'
import { openDatabase } from '../lib/database'

export default function Count({ count }: { count: number }) {
  return (
    <main>
      <h1>The database has {count}</h1>
      <Link href="/">Notes</Link>
    </main>
  )
}

export const getServerSideProps: GetServerSideProps<{ count: number }> = async () => ({
  props: { count: await (await openDatabase()).note.count() },
})
