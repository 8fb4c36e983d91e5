import Link from 'next/link'

export default function Start() {
  return (
    <Link id="to-broken" href="/error-load-fail/broken">
      Broken
    </Link>
  )
}
