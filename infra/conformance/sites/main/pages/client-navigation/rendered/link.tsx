import Link from 'next/link'

export default function Linked() {
  return <Link href="/client-navigation/pier">To the pier</Link>
}
