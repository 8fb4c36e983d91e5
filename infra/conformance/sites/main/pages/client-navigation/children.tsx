import Link from 'next/link'

/** A component that is no element, and passes only what it knows. */
const Plank = ({ id, href }: { id: string; href?: string }) => (
  <a id={id} href={href}>
    plank
  </a>
)

export default function Children() {
  return (
    <main>
      <Link href="/client-navigation/pier" legacyBehavior>
        {1000}
      </Link>
      <Link href="/client-navigation/pier" legacyBehavior>
        <Plank id="without" />
      </Link>
      <Link href="/client-navigation/pier" legacyBehavior passHref>
        <Plank id="with" />
      </Link>
    </main>
  )
}
