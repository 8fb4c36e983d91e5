import { Link } from 'portico'

export default function Home() {
  return (
    <main>
      <title>Accounts</title>
      <Link href="/notes">Notes</Link>
    </main>
  )
}
